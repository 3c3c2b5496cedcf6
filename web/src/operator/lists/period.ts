/** The time that a list shows: always bounded, a day unless somebody chose otherwise. */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import { useMemo, useState } from 'react';
import { useAddress } from '../../address.ts';
import { addDays, dayOf, startOf } from '../../calendar.ts';
import { usePreferences } from '../../preferences.tsx';

const SPANS: Readonly<Record<string, number>> = { '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '31d': 744 * HOUR_MS };
const MINUTE_MS = 60_000;

/** `from` and `to` in the address are days; without them `period` is a span until now. */
export function useListPeriod(usual: '24h' | '7d' | '31d' | 'all'): { from?: string; to?: string } {
  const address = useAddress();
  const { timeZone } = usePreferences();
  // Rounded to the minute, so that the same filter stays the same query while the page is open.
  const [now] = useState(() => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
  const [from, to, period] = [dayOf(address.get('from')), dayOf(address.get('to')), address.get('period') ?? usual];
  return useMemo(() => {
    if (from !== undefined || to !== undefined)
      return {
        ...(from === undefined ? {} : { from: startOf(from, timeZone).toISOString() }),
        // Includes the whole of that day.
        ...(to === undefined ? {} : { to: startOf(addDays(to, 1), timeZone).toISOString() }),
      };
    const span = SPANS[period];
    return span === undefined ? {} : { from: new Date(now - span).toISOString() };
  }, [from, to, period, timeZone, now]);
}
