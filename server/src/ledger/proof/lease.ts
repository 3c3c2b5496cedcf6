/**
 * One run at a time over all replicas: its holder renews the lease, and loses the run when it does not. Who wants a whole proof
 * while that of a night runs need not wait for its end: the run becomes a whole one, and its holder learns it when it would end it.
 */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { CheckResult, ProofKind } from './proof.ts';
import {
  END_LOST_RUNS,
  END_RUN,
  FAIL_RUN,
  FORGET_OLD_RUNS,
  KEEP_RUN,
  MAKE_WHOLE,
  RUN_GOING_ON,
  TAKE_RUN,
} from './proof-rows.ts';
import { noteFailure } from './state.ts';

/** Longer than the longest statement of a report. */
const LEASE_MS = 5 * MINUTE_MS;
const PROCESS_ENDED = 'its process ended';

class RunLost extends Error {
  constructor() {
    super('another process has taken over the proof of the books');
  }
}

export interface RunToTake {
  id: string;
  kind: ProofKind;
  askedBy: string;
  holder: string;
  nowMs: number;
}

/** The id of the present run, and whether it is the one that was requested. */
export async function takeRun(db: Database, run: RunToTake): Promise<{ id: string; isMine: boolean }> {
  const now = new Date(run.nowMs);
  return db.transaction(async (tx) => {
    await endLostRuns(db, tx, run, now);
    // The run that stands in the way may end between two of these statements, and then there is one to take.
    for (;;) {
      const taken = await TAKE_RUN.rows(tx, [run.id, run.kind, run.askedBy, run.holder, now]);
      if (taken.length > 0) return { id: run.id, isMine: true };
      if (run.kind === 'whole') await MAKE_WHOLE.run(tx, [run.askedBy]);
      const other = await RUN_GOING_ON.first(tx);
      if (other !== undefined) return { id: other.id, isMine: false };
    }
  });
}

/** With an embedded database every other holder is a dead process. */
async function endLostRuns(db: Database, tx: Queryable, { holder, nowMs }: RunToTake, now: Date): Promise<void> {
  const lost = await END_LOST_RUNS.rows(tx, [
    now,
    holder,
    new Date(nowMs - LEASE_MS),
    PROCESS_ENDED,
    db.kind === 'embedded',
  ]);
  if (lost.length > 0) await noteFailure(tx, now, PROCESS_ENDED);
  await FORGET_OLD_RUNS.run(tx, [now]);
}

/** Called in the transaction of every slice, so that the work of a process that lost its run is rolled back. */
export async function keepRun(tx: Queryable, run: { id: string; holder: string }, nowMs: number, rows: number) {
  const kept = await KEEP_RUN.rows(tx, [run.id, run.holder, new Date(nowMs), rows]);
  if (kept.length === 0) throw new RunLost();
}

/** False when the run has become a whole one meanwhile, which these checks are not. */
export async function endRun(
  tx: Queryable,
  run: { id: string; holder: string; kind: ProofKind },
  nowMs: number,
  checks: readonly CheckResult[],
): Promise<boolean> {
  const ended = await END_RUN.rows(tx, [
    run.id,
    run.holder,
    new Date(nowMs),
    JSON.stringify(checks),
    checks.every(({ result }) => result !== 'failed'),
    run.kind,
  ]);
  if (ended.length > 0) return true;
  await keepRun(tx, run, nowMs, 0);
  return false;
}

export async function failRun(
  tx: Queryable,
  id: string,
  holder: string,
  nowMs: number,
  reason: string,
): Promise<boolean> {
  const failed = await FAIL_RUN.rows(tx, [id, holder, new Date(nowMs), reason]);
  return failed.length > 0;
}
