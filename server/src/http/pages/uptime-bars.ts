/** Days as thin bars: good days are unobtrusive, bad ones stand out, and days without a measurement are marked. */
import type { Language, Text } from '@dargah/core/text.ts';
import type { Day, Share } from '../../uptime/index.ts';
import { dateText, percentText } from './figures.ts';
import { html, type Markup } from './markup.ts';

const TEXTS = {
  none: { fa: 'بدون داده', en: 'no data' },
  label: { fa: 'آپ‌تایم روزهای گذشته', en: 'Uptime of the past days' },
} satisfies Record<string, Text>;

const GOOD = 0.99;
const FAIR = 0.95;

/** Returns undefined where nothing was measured. */
export function availability({ answered, failed }: Share): number | undefined {
  return answered + failed === 0 ? undefined : answered / (answered + failed);
}

export function availabilityText(share: Share, language: Language): string {
  const value = availability(share);
  return value === undefined ? TEXTS.none[language] : percentText(value, language);
}

export function qualityOf(share: Share): 'good' | 'warn' | 'bad' | 'none' {
  const value = availability(share);
  if (value === undefined) return 'none';
  return value >= GOOD ? 'good' : value >= FAIR ? 'warn' : 'bad';
}

export function sumOfShares(days: readonly Share[]): Share {
  return days.reduce<Share>(
    (sum, { answered, failed }) => ({ answered: sum.answered + answered, failed: sum.failed + failed }),
    { answered: 0, failed: 0 },
  );
}

export function uptimeBars(days: readonly Day[], name: string, language: Language): Markup {
  const total = availabilityText(sumOfShares(days), language);
  return html`<svg class="days-bars" viewBox="0 0 ${days.length} 1" preserveAspectRatio="none" role="img" aria-label="${name} · ${TEXTS.label[language]} · ${total}">${days.map(
    (day, at) =>
      html`<rect class="q-${qualityOf(day)}" x="${at}" y="0" width="0.72" height="1"><title>${dateText(day.startMs, language)} · ${availabilityText(day, language)}</title></rect>`,
  )}</svg>`;
}
