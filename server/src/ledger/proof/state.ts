/** What is known of the books now: one row that runs write and every page reads. */

import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { BooksState, BooksVerdict, CheckResult } from './proof.ts';
import {
  FAILING_LOCKED,
  type Failing,
  NOTE_END,
  NOTE_FAILURE,
  NOTE_LIGHT,
  PROOF_STATE,
  type StateRow,
} from './proof-rows.ts';

/** A day and two hours: the nightly proof should have ended by then. */
const UNPROVEN_AFTER_MS = 26 * HOUR_MS;
const MAX_TRIES = 2;

export interface StoredState extends BooksState {
  triedAt: Date | null;
  lightAt: Date | null;
}

export async function readState(db: Queryable, nowMs: number): Promise<StoredState> {
  const row = await PROOF_STATE.first(db);
  const { proved_at: provedAt = null, proved_to: provedTo = null, run_id: runId = null, failing = [] } = row ?? {};
  const { tried_at: triedAt = null, light_at: lightAt = null, reason = null } = row ?? {};
  return { verdict: verdictOf(row, nowMs), provedAt, provedTo, runId, failing, reason, triedAt, lightAt };
}

function verdictOf(row: StateRow | undefined, nowMs: number): BooksVerdict {
  if (row === undefined) return 'never';
  if (row.failing.length > 0) return 'disagree';
  if (row.tries >= MAX_TRIES) return 'unproven';
  if (row.proved_at === null) return 'never';
  return nowMs - row.proved_at.getTime() > UNPROVEN_AFTER_MS ? 'unproven' : 'proven';
}

export function failingOf(checks: readonly CheckResult[], run: string): Failing {
  return checks.flatMap(({ id, name, result, detail }) =>
    result === 'failed' ? [{ check: id, name, detail, run }] : [],
  );
}

export async function noteEnd(
  tx: Queryable,
  end: { runId: string; at: Date; provedTo: string; failing: Failing },
): Promise<void> {
  await NOTE_END.run(tx, [end.at, end.provedTo, end.runId, JSON.stringify(end.failing)]);
}

/** A light proof reads less than the others, so it clears only what light ones found. */
export async function noteLight(tx: Queryable, failing: Failing): Promise<void> {
  const row = await FAILING_LOCKED.first(tx);
  const others = (row?.failing ?? []).filter(({ light }) => light !== true);
  const news = failing.filter(({ check }) => !others.some((one) => one.check === check));
  const all = [...others, ...news.map((one) => ({ ...one, light: true }))];
  await NOTE_LIGHT.run(tx, [JSON.stringify(all)]);
}

export async function noteFailure(tx: Queryable, at: Date, reason: string): Promise<void> {
  await NOTE_FAILURE.run(tx, [at, reason]);
}
