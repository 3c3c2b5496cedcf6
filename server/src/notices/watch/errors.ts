/** Notices when more requests of an account fail than it accepts. */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import { periodOf } from '../../keys/index.ts';
import { ERRORS_OF_ACCOUNT } from './watch-rows.ts';
import type { WatchedAccount, WatchTools } from './watch-tools.ts';

/** With fewer requests the share of failures says nothing. */
const MIN_REQUESTS = 20;

export async function watchErrors(
  { db, clock, notices }: WatchTools,
  { accountId, calendar }: WatchedAccount,
): Promise<void> {
  const { enabled, terms } = await notices.rule(accountId, 'errors.high');
  if (!enabled) return;
  const row = await ERRORS_OF_ACCOUNT.first(db, [accountId, new Date(clock.now() - HOUR_MS)]);
  const all = Number(row?.all ?? 0);
  const percent = all === 0 ? 0 : Math.round((Number(row?.failed ?? 0) / all) * 100);
  if (all < MIN_REQUESTS || percent < (terms.error_percent ?? 100)) return;
  const occasion = periodOf('daily', calendar, clock.now()).id;
  await notices.raise({
    accountId,
    event: 'errors.high',
    occasion,
    data: { percent, requests: all },
    link: '/console/requests',
  });
}
