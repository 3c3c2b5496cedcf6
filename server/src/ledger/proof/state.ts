/** What is known of the books now: one row, written by runs and read by every page. */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { BooksState, BooksVerdict, CheckResult } from './proof.ts';

/** A night's proof and two hours. */
const UNPROVEN_AFTER_MS = 26 * HOUR_MS;
const MAX_TRIES = 2;

type Failing = BooksState['failing'];

interface StateRow {
  proved_at: Date | null;
  proved_to: string | null;
  run_id: string | null;
  failing: Failing;
  tries: number;
  tried_at: Date | null;
  reason: string | null;
  light_at: Date | null;
}

export interface StoredState extends BooksState {
  triedAt: Date | null;
  lightAt: Date | null;
}

export async function readState(db: Queryable, nowMs: number): Promise<StoredState> {
  const [row] = await db.query<StateRow>(
    `select proved_at, proved_to::text as proved_to, run_id, failing, tries, tried_at, reason, light_at from proof_state`,
  );
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
  await tx.query(
    `update proof_state set proved_at = $1, proved_to = $2, run_id = $3, failing = $4, tries = 0, reason = null, tried_at = $1`,
    [end.at, end.provedTo, end.runId, JSON.stringify(end.failing)],
  );
}

/** A light proof reads less than the others: it takes back what light ones found, and nothing else. */
export async function noteLight(tx: Queryable, failing: Failing): Promise<void> {
  const [row] = await tx.query<{ failing: (Failing[number] & { light?: true })[] }>(
    'select failing from proof_state for update',
  );
  const others = (row?.failing ?? []).filter(({ light }) => light !== true);
  const news = failing.filter(({ check }) => !others.some((one) => one.check === check));
  const all = [...others, ...news.map((one) => ({ ...one, light: true }))];
  await tx.query('update proof_state set failing = $1', [JSON.stringify(all)]);
}

export async function noteFailure(tx: Queryable, at: Date, reason: string): Promise<void> {
  await tx.query('update proof_state set tries = tries + 1, tried_at = $1, reason = $2', [at, reason]);
}
