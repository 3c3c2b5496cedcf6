/** Runs and results as they are kept: the newest of each route and probe, and a bounded history of each. */
import type { ProbeId, ProbeVerdict } from '@dargah/core/probes.ts';
import { type Money, money } from '../core/money.ts';
import type { Queryable } from '../platform/db/index.ts';

/** Of each route and probe; about two months of nights. */
const MAX_HISTORY = 60;
/** Runs that are shown; older ones go. */
const MAX_RUNS = 400;
/** A run whose process was not seen for so long is over; one probe takes at most a few minutes. */
const DEAD_AFTER_MS = 15 * 60_000;

export interface RunQuestion {
  model: string | null;
  route: string | null;
  budget: Money;
}

export type RunEnding = 'done' | 'budget' | 'stopped';

export interface ConformanceRun extends RunQuestion {
  id: string;
  night: string | null;
  actor: string;
  spent: Money;
  asked: number;
  failed: number;
  changed: number;
  leftOut: number;
  startedAt: Date;
  endedAt: Date | null;
  ending: RunEnding | null;
}

export interface ConformanceResult {
  model: string;
  route: string;
  probe: ProbeId;
  verdict: ProbeVerdict;
  detail: string | null;
  durationMs: number;
  askedAt: Date;
  since: Date;
  triedAt: Date;
}

interface RunRow extends Omit<ConformanceRun, 'budget' | 'spent'> {
  budget: string;
  spent: string;
}

const RUN_COLUMNS = `id, night::text as night, actor, model_id as model, route, budget::text as budget, spent::text as spent, asked, failed, changed,
  left_out as "leftOut", started_at as "startedAt", ended_at as "endedAt", ending`;
const RESULT_COLUMNS = `model_id as model, route, probe, verdict, detail, duration_ms as "durationMs", asked_at as "askedAt", since,
  tried_at as "triedAt"`;

function runOf(row: RunRow): ConformanceRun {
  return { ...row, budget: money(BigInt(row.budget)), spent: money(BigInt(row.spent)) };
}

export interface NewRun extends RunQuestion {
  id: string;
  night: string | null;
  actor: string;
}

/** Undefined while another run is going on, and where the night has had its run. */
export async function openRun(tx: Queryable, run: NewRun, nowMs: number): Promise<ConformanceRun | undefined> {
  const now = new Date(nowMs);
  await tx.query(
    `update conformance_run set ended_at = $1, ending = 'stopped' where ended_at is null and seen_at < $2`,
    [now, new Date(nowMs - DEAD_AFTER_MS)],
  );
  const [row] = await tx.query<RunRow>(
    `insert into conformance_run (id, night, actor, model_id, route, budget, started_at, seen_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict do nothing returning ${RUN_COLUMNS}`,
    [run.id, run.night, run.actor, run.model, run.route, String(run.budget), now],
  );
  if (!row) return undefined;
  await tx.query(
    'delete from conformance_run where started_at < (select started_at from conformance_run order by started_at desc offset $1 limit 1)',
    [MAX_RUNS],
  );
  return runOf(row);
}

export async function findRun(db: Queryable, id: string): Promise<ConformanceRun | undefined> {
  const [row] = await db.query<RunRow>(`select ${RUN_COLUMNS} from conformance_run where id = $1`, [id]);
  return row && runOf(row);
}

export async function newestRuns(db: Queryable, limit: number): Promise<ConformanceRun[]> {
  const rows = await db.query<RunRow>(
    `select ${RUN_COLUMNS} from conformance_run order by started_at desc, id desc limit $1`,
    [limit],
  );
  return rows.map(runOf);
}

/** False when the run was taken for dead meanwhile. */
export async function leaveOut(tx: Queryable, id: string, count: number, nowMs: number): Promise<boolean> {
  const rows = await tx.query(
    'update conformance_run set left_out = left_out + $2, seen_at = $3 where id = $1 and ended_at is null returning id',
    [id, count, new Date(nowMs)],
  );
  return rows.length > 0;
}

export async function endProbeRun(tx: Queryable, id: string, ending: RunEnding, nowMs: number): Promise<void> {
  await tx.query('update conformance_run set ended_at = $2, ending = $3 where id = $1 and ended_at is null', [
    id,
    new Date(nowMs),
    ending,
  ]);
}

export interface ProbeFinding {
  model: string;
  route: string;
  provider: string;
  probe: ProbeId;
  verdict: ProbeVerdict;
  detail: string | null;
  durationMs: number;
  /** Counted against the budget. */
  spent: Money;
  /** As far as the route's cost is known: what is booked. */
  cost: Money;
  /** The day of Tehran on which it is booked. */
  day: string;
}

/** Writes one finding and adds it to its run. `changed`: customers are offered something else than before. */
export async function writeFinding(
  tx: Queryable,
  runId: string,
  finding: ProbeFinding,
  nowMs: number,
): Promise<{ isOpen: boolean; changed: boolean }> {
  const { model, route, probe, verdict, detail } = finding;
  const now = new Date(nowMs);
  const [before] = await tx.query<{ verdict: ProbeVerdict }>(
    'select verdict from conformance_result where model_id = $1 and route = $2 and probe = $3 for update',
    [model, route, probe],
  );
  const known = before?.verdict ?? 'unknown';
  // What worked without proof goes on working with it; only a failure is news of what nobody had tried.
  const changed = verdict !== 'unknown' && verdict !== known && !(known === 'unknown' && verdict === 'passed');
  await writeResult(tx, finding, now);
  await tx.query(
    `insert into conformance_history (model_id, route, probe, asked_at, verdict, detail) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [model, route, probe, now, verdict, detail],
  );
  await tx.query(
    `delete from conformance_history where model_id = $1 and route = $2 and probe = $3 and asked_at <= (
       select asked_at from conformance_history where model_id = $1 and route = $2 and probe = $3
       order by asked_at desc offset $4 limit 1)`,
    [model, route, probe, MAX_HISTORY],
  );
  if (finding.cost > 0n) await addCost(tx, finding);
  const open = await tx.query(
    `update conformance_run set spent = spent + $2, asked = asked + 1, failed = failed + $3, changed = changed + $4, seen_at = $5
     where id = $1 and ended_at is null returning id`,
    [runId, String(finding.spent), verdict === 'failed' ? 1 : 0, changed ? 1 : 0, now],
  );
  return { isOpen: open.length > 0, changed };
}

/** What could not be asked leaves standing what was found before. */
async function writeResult(tx: Queryable, finding: ProbeFinding, now: Date): Promise<void> {
  const { model, route, probe, verdict, detail, durationMs } = finding;
  await tx.query(
    `insert into conformance_result as known (model_id, route, probe, verdict, detail, duration_ms, asked_at, since, tried_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $7)
     on conflict (model_id, route, probe) do update set tried_at = excluded.tried_at,
       verdict = case when excluded.verdict = 'unknown' then known.verdict else excluded.verdict end,
       detail = case when excluded.verdict = 'unknown' then known.detail else excluded.detail end,
       duration_ms = case when excluded.verdict = 'unknown' then known.duration_ms else excluded.duration_ms end,
       asked_at = case when excluded.verdict = 'unknown' then known.asked_at else excluded.asked_at end,
       since = case when excluded.verdict in ('unknown', known.verdict) then known.since else excluded.since end`,
    [model, route, probe, verdict, detail, durationMs, now],
  );
}

async function addCost(tx: Queryable, { day, model, provider, cost }: ProbeFinding): Promise<void> {
  await tx.query(
    `insert into probe_cost as known (day, model, provider, amount) values ($1, $2, $3, $4)
     on conflict (day, model, provider) do update set amount = known.amount + excluded.amount`,
    [day, model, provider, String(cost)],
  );
}

export async function readResults(db: Queryable, model?: string): Promise<ConformanceResult[]> {
  return db.query<ConformanceResult>(
    `select ${RESULT_COLUMNS} from conformance_result where $1::text is null or model_id = $1 order by model_id, route, probe`,
    [model ?? null],
  );
}

export interface HistoryEntry {
  probe: ProbeId;
  askedAt: Date;
  verdict: ProbeVerdict;
  detail: string | null;
}

export async function readHistory(
  db: Queryable,
  { model, route, limit }: { model: string; route: string; limit: number },
): Promise<HistoryEntry[]> {
  return db.query<HistoryEntry>(
    `select probe, asked_at as "askedAt", verdict, detail from conformance_history
     where model_id = $1 and route = $2 order by asked_at desc, probe limit $3`,
    [model, route, limit],
  );
}

/** What a route proved and failed is forgotten: it is offered as the catalog has it, until it is asked again. */
export async function forgetResults(tx: Queryable, model: string, route: string): Promise<number> {
  const gone = await tx.query('delete from conformance_result where model_id = $1 and route = $2 returning probe', [
    model,
    route,
  ]);
  return gone.length;
}
