/** The date that stands on an invoice: Jalali, in Tehran. */
const PARTS = new Intl.DateTimeFormat('en-u-ca-persian', {
  timeZone: 'Asia/Tehran',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

export function jalaliDate(at: Date): { year: number; text: string } {
  const parts = new Map(PARTS.formatToParts(at).map(({ type, value }) => [type, value]));
  const year = Number(parts.get('year'));
  return { year, text: `${year}/${parts.get('month')}/${parts.get('day')}` };
}
