/** Which days the page shows: the last so many, this month of the account's calendar, or from a day to a day. */
import { useMemo } from 'react';
import { useAddress } from '../../address.ts';
import { addDays, dayAt, dayOf, monthOf, noonOf } from '../../calendar.ts';
import { usePreferences } from '../../preferences.tsx';

const DAY_MS = 86_400_000;

export type Span = '1' | '7' | '30' | 'month' | '90' | '365';
type Interval = 'hour' | 'day' | 'month';

export function usePeriod(): { span: Span | undefined; endsNow: boolean; query: UsageQuery } {
  const address = useAddress();
  const { timeZone, calendar } = usePreferences();
  const [from, to] = [dayOf(address.get('from')), dayOf(address.get('to'))];
  const span = from === undefined && to === undefined ? ((address.get('days') ?? '30') as Span) : undefined;
  const [key, member, model, endpoint, user, tag] = ['key', 'member', 'model', 'endpoint', 'user', 'tag'].map((name) =>
    address.get(name),
  );
  return useMemo(() => {
    // Rounded to a minute, so that the answer stays in the cache.
    const now = Math.floor(Date.now() / 60_000) * 60_000;
    const today = dayAt(now, timeZone);
    const filter = {
      ...(key === undefined ? {} : { key_id: key }),
      ...(member === undefined ? {} : { member }),
      ...(model === undefined ? {} : { model }),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(user === undefined ? {} : { user }),
      ...(tag === undefined ? {} : { tag }),
    };
    if (span === '1')
      return {
        span,
        endsNow: true,
        query: { interval: 'hour', from: new Date(now - DAY_MS).toISOString(), ...filter },
      };
    const last = to ?? today;
    const first =
      span === 'month' ? (monthOf(today, calendar)[0] ?? today) : (from ?? addDays(last, 1 - Number(span ?? '30')));
    const days = Math.round((noonOf(last).getTime() - noonOf(first).getTime()) / DAY_MS) + 1;
    const interval: Interval = days <= 2 ? 'hour' : days <= 92 ? 'day' : 'month';
    // The end is not part of the period.
    const until = to === undefined ? {} : { to: addDays(to, 1) };
    return { span, endsNow: last >= today, query: { interval, from: first, ...until, ...filter } };
  }, [span, from, to, key, member, model, endpoint, user, tag, timeZone, calendar]);
}

export interface UsageQuery {
  interval: Interval;
  from: string;
  to?: string;
  key_id?: string;
  member?: string;
  model?: string;
  endpoint?: string;
  user?: string;
  tag?: string;
}
