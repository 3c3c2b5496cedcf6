/** One run at a time over all replicas: who has it says so again and again, and whoever does not has lost it. */
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { CheckResult, ProofKind } from './proof.ts';
import { noteFailure } from './state.ts';

/** Longer than the longest statement of a report. */
const LEASE_MS = 5 * MINUTE_MS;
/** Runs are kept as long. */
const KEPT = `interval '400 days'`;
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

/** The id of the run that goes on, and whether it is the one that was asked for. */
export async function takeRun(db: Database, run: RunToTake): Promise<{ id: string; isMine: boolean }> {
  const now = new Date(run.nowMs);
  return db.transaction(async (tx) => {
    await endLostRuns(db, tx, run, now);
    const taken = await tx.query(
      `insert into proof_run (id, kind, asked_by, holder, state, started_at, heartbeat_at) values ($1, $2, $3, $4, 'running', $5, $5)
       on conflict do nothing returning id`,
      [run.id, run.kind, run.askedBy, run.holder, now],
    );
    if (taken.length > 0) return { id: run.id, isMine: true };
    const [other] = await tx.query<{ id: string }>(`select id from proof_run where state = 'running'`);
    return { id: other?.id ?? run.id, isMine: false };
  });
}

/** Of the embedded database every other holder is a process that is gone. */
async function endLostRuns(db: Database, tx: Queryable, { holder, nowMs }: RunToTake, now: Date): Promise<void> {
  const lost = await tx.query<{ id: string }>(
    `update proof_run set state = 'failed', ended_at = $1, reason = $4
     where state = 'running' and holder <> $2 and (heartbeat_at < $3 or $5) returning id`,
    [now, holder, new Date(nowMs - LEASE_MS), PROCESS_ENDED, db.kind === 'embedded'],
  );
  if (lost.length > 0) await noteFailure(tx, now, PROCESS_ENDED);
  await tx.query(`delete from proof_run where started_at < $1::timestamptz - ${KEPT}`, [now]);
}

/** In the transaction of every slice: what a process that lost its run still does is undone. */
export async function keepRun(tx: Queryable, run: { id: string; holder: string }, nowMs: number, rows: number) {
  const kept = await tx.query(
    `update proof_run set heartbeat_at = $3, rows_read = rows_read + $4, slices = slices + 1
     where id = $1 and holder = $2 and state = 'running' returning id`,
    [run.id, run.holder, new Date(nowMs), rows],
  );
  if (kept.length === 0) throw new RunLost();
}

export async function endRun(tx: Queryable, id: string, holder: string, nowMs: number, checks: readonly CheckResult[]) {
  const ended = await tx.query(
    `update proof_run set state = 'ended', ended_at = $3, heartbeat_at = $3, checks = $4, ok = $5
     where id = $1 and holder = $2 and state = 'running' returning id`,
    [id, holder, new Date(nowMs), JSON.stringify(checks), checks.every(({ result }) => result !== 'failed')],
  );
  if (ended.length === 0) throw new RunLost();
}

export async function failRun(
  tx: Queryable,
  id: string,
  holder: string,
  nowMs: number,
  reason: string,
): Promise<boolean> {
  const failed = await tx.query(
    `update proof_run set state = 'failed', ended_at = $3, reason = $4 where id = $1 and holder = $2 and state = 'running' returning id`,
    [id, holder, new Date(nowMs), reason],
  );
  return failed.length > 0;
}
