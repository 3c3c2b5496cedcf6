/** Whole numbers in Persian words, as the total of an invoice is written. */
const ONES = ['', 'یک', 'دو', 'سه', 'چهار', 'پنج', 'شش', 'هفت', 'هشت', 'نه'];
const TEENS = ['ده', 'یازده', 'دوازده', 'سیزده', 'چهارده', 'پانزده', 'شانزده', 'هفده', 'هجده', 'نوزده'];
const TENS = ['', '', 'بیست', 'سی', 'چهل', 'پنجاه', 'شصت', 'هفتاد', 'هشتاد', 'نود'];
const HUNDREDS = ['', 'صد', 'دویست', 'سیصد', 'چهارصد', 'پانصد', 'ششصد', 'هفتصد', 'هشتصد', 'نهصد'];
const SCALES = ['', 'هزار', 'میلیون', 'میلیارد', 'هزار میلیارد', 'میلیون میلیارد', 'میلیارد میلیارد'];
const AND = ' و ';

export function inPersianWords(value: bigint): string {
  if (value === 0n) return 'صفر';
  const parts: string[] = [];
  for (let rest = value, scale = 0; rest > 0n; rest /= 1_000n, scale++) {
    const words = belowThousand(Number(rest % 1_000n));
    if (words === '') continue;
    const name = SCALES[scale] ?? '';
    // A thousand is written «هزار», not «یک هزار».
    parts.unshift(scale === 1 && words === 'یک' ? name : `${words} ${name}`.trim());
  }
  return parts.join(AND);
}

function belowThousand(value: number): string {
  const tens = value % 100;
  const below = tens >= 10 && tens < 20 ? [TEENS[tens - 10]] : [TENS[Math.floor(tens / 10)], ONES[tens % 10]];
  return [HUNDREDS[Math.floor(value / 100)], ...below].filter((word) => word !== undefined && word !== '').join(AND);
}
