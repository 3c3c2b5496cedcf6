/** Runs and results as they are kept: the newest of each route and probe, and a bounded history of each. */
import type { ProbeId, ProbeVerdict } from '@dargah/core/probes.ts';
import { type Money, money } from '../core/money.ts';
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../platform/db/index.ts';

/** How many results are kept of each route and probe: about two months of nights. */
const MAX_HISTORY = 60;
/** Runs that are shown; older ones go. */
const MAX_RUNS = 400;
/** A run whose process has shown no sign of life for this long is over; one probe takes at most a few minutes. */
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

const resultRow = {
  model: readAs('model_id', column.text),
  route: column.text,
  probe: column.textOf<ProbeId>(),
  verdict: column.textOf<ProbeVerdict>(),
  detail: orNull(column.text),
  durationMs: column.int,
  askedAt: column.timestamp,
  since: column.timestamp,
  triedAt: column.timestamp,
};
export type ConformanceResult = RowOf<typeof resultRow>;

const runRow = {
  id: column.text,
  night: readAs('night::text', orNull(column.text)),
  actor: column.text,
  model: readAs('model_id', orNull(column.text)),
  route: orNull(column.text),
  budget: readAs('budget::text', column.text),
  spent: readAs('spent::text', column.text),
  asked: column.int,
  failed: column.int,
  changed: column.int,
  leftOut: column.int,
  startedAt: column.timestamp,
  endedAt: orNull(column.timestamp),
  ending: orNull(column.textOf<RunEnding>()),
};

const RUN_COLUMNS = columnsOf(runRow);
const RESULT_COLUMNS = columnsOf(resultRow);

function runOf(row: RowOf<typeof runRow>): ConformanceRun {
  return { ...row, budget: money(BigInt(row.budget)), spent: money(BigInt(row.spent)) };
}

export interface NewRun extends RunQuestion {
  id: string;
  night: string | null;
  actor: string;
}

const END_DEAD_RUNS = command(
  `update conformance_run set ended_at = $1, ending = 'stopped' where ended_at is null and seen_at < $2`,
);
const INSERT_RUN = statement(
  runRow,
  `insert into conformance_run (id, night, actor, model_id, route, budget, started_at, seen_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict do nothing returning ${RUN_COLUMNS}`,
);
const DELETE_OLD_RUNS = command(
  'delete from conformance_run where started_at < (select started_at from conformance_run order by started_at desc offset $1 limit 1)',
);

/** Returns undefined while another run is going on, and where this night already had its run. */
export async function openRun(tx: Queryable, run: NewRun, nowMs: number): Promise<ConformanceRun | undefined> {
  const now = new Date(nowMs);
  await END_DEAD_RUNS.run(tx, [now, new Date(nowMs - DEAD_AFTER_MS)]);
  const row = await INSERT_RUN.first(tx, [run.id, run.night, run.actor, run.model, run.route, String(run.budget), now]);
  if (!row) return undefined;
  await DELETE_OLD_RUNS.run(tx, [MAX_RUNS]);
  return runOf(row);
}

const RUN = statement(runRow, `select ${RUN_COLUMNS} from conformance_run where id = $1`);

export async function findRun(db: Queryable, id: string): Promise<ConformanceRun | undefined> {
  const row = await RUN.first(db, [id]);
  return row && runOf(row);
}

const NEWEST_RUNS = statement(
  runRow,
  `select ${RUN_COLUMNS} from conformance_run order by started_at desc, id desc limit $1`,
);

export async function newestRuns(db: Queryable, limit: number): Promise<ConformanceRun[]> {
  const rows = await NEWEST_RUNS.rows(db, [limit]);
  return rows.map(runOf);
}

const LEAVE_OUT = statement(
  { id: column.text },
  'update conformance_run set left_out = left_out + $2, seen_at = $3 where id = $1 and ended_at is null returning id',
);

/** Returns false when the run had been declared dead meanwhile. */
export async function leaveOut(tx: Queryable, id: string, count: number, nowMs: number): Promise<boolean> {
  const rows = await LEAVE_OUT.rows(tx, [id, count, new Date(nowMs)]);
  return rows.length > 0;
}

const END_RUN = command('update conformance_run set ended_at = $2, ending = $3 where id = $1 and ended_at is null');

export async function endProbeRun(tx: Queryable, id: string, ending: RunEnding, nowMs: number): Promise<void> {
  await END_RUN.run(tx, [id, new Date(nowMs), ending]);
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
  /** The part whose price is known, which is booked. */
  cost: Money;
  /** The day of Tehran on which it is booked. */
  day: string;
}

const VERDICT_BEFORE = statement(
  { verdict: column.textOf<ProbeVerdict>() },
  'select verdict from conformance_result where model_id = $1 and route = $2 and probe = $3 for update',
);
const INSERT_HISTORY = command(
  `insert into conformance_history (model_id, route, probe, asked_at, verdict, detail) values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing`,
);
const TRIM_HISTORY = command(
  `delete from conformance_history where model_id = $1 and route = $2 and probe = $3 and asked_at <= (
     select asked_at from conformance_history where model_id = $1 and route = $2 and probe = $3
     order by asked_at desc offset $4 limit 1)`,
);
const COUNT_FINDING = statement(
  { id: column.text },
  `update conformance_run set spent = spent + $2, asked = asked + 1, failed = failed + $3, changed = changed + $4, seen_at = $5
   where id = $1 and ended_at is null returning id`,
);

/** Writes one finding and adds it to its run. `changed`: customers are offered something else than before. */
export async function writeFinding(
  tx: Queryable,
  runId: string,
  finding: ProbeFinding,
  nowMs: number,
): Promise<{ isOpen: boolean; changed: boolean }> {
  const { model, route, probe, verdict, detail } = finding;
  const now = new Date(nowMs);
  const before = await VERDICT_BEFORE.first(tx, [model, route, probe]);
  const known = before?.verdict ?? 'unknown';
  // What worked without proof goes on working with it; only a failure is news of what nobody had tried.
  const changed = verdict !== 'unknown' && verdict !== known && !(known === 'unknown' && verdict === 'passed');
  await writeResult(tx, finding, now);
  await INSERT_HISTORY.run(tx, [model, route, probe, now, verdict, detail]);
  await TRIM_HISTORY.run(tx, [model, route, probe, MAX_HISTORY]);
  if (finding.cost > 0n) await addCost(tx, finding);
  const open = await COUNT_FINDING.rows(tx, [
    runId,
    String(finding.spent),
    verdict === 'failed' ? 1 : 0,
    changed ? 1 : 0,
    now,
  ]);
  return { isOpen: open.length > 0, changed };
}

const WRITE_RESULT = command(
  `insert into conformance_result as known (model_id, route, probe, verdict, detail, duration_ms, asked_at, since, tried_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7, $7)
   on conflict (model_id, route, probe) do update set tried_at = excluded.tried_at,
     verdict = case when excluded.verdict = 'unknown' then known.verdict else excluded.verdict end,
     detail = case when excluded.verdict = 'unknown' then known.detail else excluded.detail end,
     duration_ms = case when excluded.verdict = 'unknown' then known.duration_ms else excluded.duration_ms end,
     asked_at = case when excluded.verdict = 'unknown' then known.asked_at else excluded.asked_at end,
     since = case when excluded.verdict in ('unknown', known.verdict) then known.since else excluded.since end`,
);

/** A probe that could not be asked leaves the earlier result standing. */
async function writeResult(tx: Queryable, finding: ProbeFinding, now: Date): Promise<void> {
  const { model, route, probe, verdict, detail, durationMs } = finding;
  await WRITE_RESULT.run(tx, [model, route, probe, verdict, detail, durationMs, now]);
}

const ADD_COST = command(
  `insert into probe_cost as known (day, model, provider, amount) values ($1, $2, $3, $4)
   on conflict (day, model, provider) do update set amount = known.amount + excluded.amount`,
);

async function addCost(tx: Queryable, { day, model, provider, cost }: ProbeFinding): Promise<void> {
  await ADD_COST.run(tx, [day, model, provider, String(cost)]);
}

const RESULTS = statement(
  resultRow,
  `select ${RESULT_COLUMNS} from conformance_result where $1::text is null or model_id = $1 order by model_id, route, probe`,
);

export async function readResults(db: Queryable, model?: string): Promise<ConformanceResult[]> {
  return RESULTS.rows(db, [model ?? null]);
}

const historyRow = {
  probe: column.textOf<ProbeId>(),
  askedAt: column.timestamp,
  verdict: column.textOf<ProbeVerdict>(),
  detail: orNull(column.text),
};
export type HistoryEntry = RowOf<typeof historyRow>;

const HISTORY = statement(
  historyRow,
  `select probe, asked_at as "askedAt", verdict, detail from conformance_history
   where model_id = $1 and route = $2 order by asked_at desc, probe limit $3`,
);

export async function readHistory(
  db: Queryable,
  { model, route, limit }: { model: string; route: string; limit: number },
): Promise<HistoryEntry[]> {
  return HISTORY.rows(db, [model, route, limit]);
}

const FORGET_RESULTS = statement(
  { probe: column.text },
  'delete from conformance_result where model_id = $1 and route = $2 returning probe',
);

/** Drops the results of a route: it is offered as the catalog has it, until it is probed again. */
export async function forgetResults(tx: Queryable, model: string, route: string): Promise<number> {
  const gone = await FORGET_RESULTS.rows(tx, [model, route]);
  return gone.length;
}
