/** How fast money is spent, and when it ends at that pace. */

import type { Text } from '@dargah/core/text.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { type Money, money } from '../core/money.ts';
import type { Calendar } from '../keys/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { PACE_DAYS, SPEND_OF_LAST_DAYS } from './forecast-rows.ts';

/** From here on a date without its year might be mistaken for one of this year. */
const NEXT_YEAR_MS = 300 * DAY_MS;

/** Spend per day over the last seven days; today counts as the part of it that has passed. */
export async function paceOf(db: Queryable, accountId: string, nowMs: number, keyId?: string): Promise<Money> {
  const row = await SPEND_OF_LAST_DAYS.first(db, [accountId, new Date(nowMs), keyId ?? null]);
  const known = row?.first ? (nowMs - row.first.getTime()) / DAY_MS : 0;
  // At least a day: a pace from less history would rest on one burst.
  const days = Math.min(PACE_DAYS, Math.max(1, known));
  return money((BigInt(row?.cost ?? 0) * 1000n) / BigInt(Math.round(days * 1000)));
}

/** Null when it never ends at this pace, or not within ten years. */
export function endsAt(left: Money, daily: Money, nowMs: number): number | null {
  if (daily <= 0n) return null;
  if (left <= 0n) return nowMs;
  const days = Number((left * 1000n) / daily) / 1000;
  return days > 3650 ? null : nowMs + days * DAY_MS;
}

/**
 * Returns a sentence such as «با این روند این کلید ۲۳ مهر تمام می‌شود.» Today is named as such, a far day has its year,
 * and money that has already ended has no day.
 */
export function endSentence(what: Text, at: number | null, calendar: Calendar, nowMs: number): Text {
  if (at === null)
    return { fa: `با این روند ${what.fa} تمام نمی‌شود.`, en: `At this pace ${what.en} does not run out.` };
  if (at <= nowMs) return { fa: `${what.fa} تمام شده است.`, en: `Nothing is left of ${what.en}.` };
  const { timeZone } = calendar;
  const year = at - nowMs > NEXT_YEAR_MS ? ({ year: 'numeric' } as const) : {};
  const dayIn = (locale: string, today: string, before = '') => {
    const format = new Intl.DateTimeFormat(locale, { timeZone, day: 'numeric', month: 'long', ...year });
    const day = format.format(at);
    // English formats add the era to a year of the Persian calendar, which nobody here writes.
    return day === format.format(nowMs) ? today : before + day.replace(/ AP$/, '');
  };
  const persian = dayIn(calendar.month === 'jalali' ? 'fa-IR' : 'fa-IR-u-ca-gregory', 'امروز');
  const english = dayIn(calendar.month === 'jalali' ? 'en-GB-u-ca-persian' : 'en-GB-u-ca-gregory', 'today', 'on ');
  return {
    fa: `با این روند ${what.fa} ${persian} تمام می‌شود.`,
    en: `At this pace ${what.en} runs out ${english}.`,
  };
}
