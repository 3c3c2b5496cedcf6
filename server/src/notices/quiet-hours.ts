/** Quiet hours in the account's own zone, as minutes of the day; they may pass midnight. */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Calendar } from '../keys/index.ts';

const DAY_MINUTES = 24 * 60;

/** When the present quiet hours end, in milliseconds; undefined outside of quiet hours. */
export function endOfQuiet(
  hours: { from: number; to: number },
  { timeZone }: Calendar,
  nowMs: number,
): number | undefined {
  const { from, to } = hours;
  if (from === to) return undefined;
  const now = minuteOfDay(timeZone, nowMs);
  const isQuiet = from < to ? now >= from && now < to : now >= from || now < to;
  if (!isQuiet) return undefined;
  const left = (to - now + DAY_MINUTES) % DAY_MINUTES;
  return nowMs - (nowMs % MINUTE_MS) + left * MINUTE_MS;
}

function minuteOfDay(timeZone: string, nowMs: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const [hour = '0', minute = '0'] = parts.format(new Date(nowMs)).split(':');
  return Number(hour) * 60 + Number(minute);
}
