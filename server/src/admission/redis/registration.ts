/**
 * Tells Redis everything when a replica joins: what it has outstanding, what it admitted on its own, and what was
 * posted.
 */
import type { ChangeOutbox } from './outbox.ts';
import type { OwnCounts } from './own-counts.ts';
import type { Change } from './packing.ts';
import type { ScriptCalls } from './script-calls.ts';

const CHANGES_PER_CALL = 1_000;

/**
 * `everything`: Redis has lost what it knew, so the admissions it once counted are told again. `unsettled`: this
 * replica goes on spending its leases for a while, so Redis must count them.
 */
export async function registerReplica(
  replica: { calls: ScriptCalls; own: OwnCounts; outbox: ChangeOutbox },
  incarnation: string,
  { everything, unsettled }: { everything: boolean; unsettled: boolean },
  nowMs: number,
): Promise<void> {
  const { calls, own, outbox } = replica;
  // Everything is read in one synchronous step. What settles later goes through the outbox, under the new name.
  const posted = outbox.takePosted();
  outbox.forgetHolds();
  if (everything) outbox.forgetCorrections();
  const changes: Change[] = posted.map(([id, row]) => ({
    kind: 'posted',
    key: calls.keyOf('budget', id),
    ...row,
  }));
  for (const { id, total } of own.outstanding()) {
    changes.push({ kind: 'hold', key: calls.keyOf('budget', id), delta: total });
  }
  if (unsettled) {
    for (const { kind, id, lease } of own.leases()) {
      const key = calls.keyOf(kind, id);
      changes.push({ kind: kind === 'window' ? 'lease-window' : 'lease-budget', key, delta: lease });
    }
  }
  for (const { id, entry } of own.admissions(everything, nowMs)) {
    changes.push({ kind: 'admitted', key: calls.keyOf('window', id), at: entry.lastAt, amount: entry.amount });
  }
  try {
    for (let i = 0; i < changes.length; i += CHANGES_PER_CALL) {
      await calls.decide(incarnation, changes.slice(i, i + CHANGES_PER_CALL), []);
    }
  } catch (error) {
    outbox.putBack(posted);
    throw error;
  }
  own.markRegistered(nowMs);
}
