/** Switches off a webhook that accepted nothing for a day, and tells the account by another channel. */
import type { Clock } from '../core/clock.ts';
import type { Database } from '../platform/db/index.ts';
import type { CarryOutcome } from './carry.ts';
import type { Notices } from './notices.ts';
import { SWITCH_OFF_TARGET } from './target-rows.ts';

export async function switchOffTarget(
  { db, notices, clock }: { db: Database; notices: Notices; clock: Clock },
  { target_id: id, account_id: accountId, url }: { target_id: string | null; account_id: string; url: string | null },
  outcome: CarryOutcome,
): Promise<void> {
  const problem = outcome.done ? null : outcome.problem;
  const rows = await SWITCH_OFF_TARGET.rows(db, [id, problem, new Date(clock.now())]);
  if (rows.length === 0) return;
  const occasion = `${id}:${clock.now()}`;
  const data = { url: url ?? '' };
  await notices.raise({ accountId, event: 'target.disabled', occasion, data, link: '/console/alerts' });
}
