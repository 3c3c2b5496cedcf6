/**
 * Corrects costs that become known later. Requests in months that are not closed, answered at an unknown cost, are
 * costed by their usage; their rows stay as they are. The walk goes over the log in slices, each in one transaction, so
 * another process continues after a killed one. A request is corrected once, however often somebody asks. At the end
 * there is one entry, dated today.
 */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import { ratesFromText } from '../catalog/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { type Money, toTomanText } from '../core/money.ts';
import { costOf, type Price } from '../core/price.ts';
import { bookCosts, startOfDay } from '../ledger/index.ts';
import { monthStart } from '../payments/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { costFactsOf } from '../requestlog/index.ts';
import type { CostCorrection } from './cost-correction-rows.ts';
import {
  ADD_CORRECTED,
  BOOK_CORRECTION,
  CORRECTION,
  CORRECTIONS,
  COST_OF_ROUTE,
  GO_ON_AFTER,
  INSERT_CORRECTION,
  LAST_CLOSED_DAY,
  OPEN_CORRECTION,
  type OpenCorrection,
  RUNNING_CORRECTIONS,
  SLICE_OF_LOG,
  toCorrection,
  UNCOSTED,
} from './cost-correction-rows.ts';
import { accountingReasons } from './reasons.ts';

export interface CostCorrections {
  /** Begins a correction, or returns the one that is running. The route's cost must be known by now. */
  begin(route: { model: string; provider: string; upstream: string }, actor: string): Promise<CostCorrection>;
  /** Continues what was begun, here or by a process that has died. */
  carryOn(): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<CostCorrection[]>;
}

export interface CostCorrectionsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  /** The rows of one slice. */
  mostRows?: number;
}

const ROWS_AT_ONCE = 5_000;
const MAX_DAYS_BACK = 60;

export function createCostCorrections(options: CostCorrectionsOptions): CostCorrections {
  const { db } = options;
  return {
    begin: (route, actor) => db.transaction((tx) => begin(options, tx, route, actor)),
    async carryOn() {
      const open = await RUNNING_CORRECTIONS.rows(db);
      for (const { id } of open) while (await db.report((tx) => oneSlice(options, tx, id), { for: 'job' }));
    },
    async list(limit) {
      const rows = await CORRECTIONS.rows(db, [limit]);
      return rows.map(toCorrection);
    },
  };
}

async function begin(
  options: CostCorrectionsOptions,
  tx: Queryable,
  { model, provider, upstream }: Parameters<CostCorrections['begin']>[0],
  actor: string,
): Promise<CostCorrection> {
  const names = [provider, model, upstream];
  const route = await COST_OF_ROUTE.first(tx, names);
  if (!route) throw new GatewayError('not_found', { reason: accountingReasons.noSuchRoute });
  if (!route.cost) throw new GatewayError('conflict', { reason: accountingReasons.costNotKnown });
  const nowMs = options.clock.now();
  const from = new Date(await firstOpenMoment(tx, nowMs));
  const id = makeId('cco', nowMs, options.randomBytes);
  const made = await INSERT_CORRECTION.rows(tx, [
    id,
    ...names,
    JSON.stringify(route.cost),
    from,
    new Date(nowMs),
    actor,
  ]);
  if (made.length > 0)
    await createChangeRecorder(options, 'document')(tx, actor, 'cost.count', model, { provider, model: upstream });
  const row = await CORRECTION.first(tx, [id, ...names]);
  if (!row) throw new Error('a correction that was begun is gone');
  return toCorrection(row);
}

/**
 * The first moment of the months that are not closed: the running one and at most two before it, because older log rows
 * may be gone.
 */
async function firstOpenMoment(tx: Queryable, nowMs: number): Promise<number> {
  const earliest = startOfDay(monthStart(nowMs - MAX_DAYS_BACK * DAY_MS, 'jalali'));
  const closed = await LAST_CLOSED_DAY.first(tx);
  return closed?.day ? Math.max(earliest, startOfDay(closed.day) + DAY_MS) : earliest;
}

/** Corrects one slice. Returns whether there is more. */
async function oneSlice(options: CostCorrectionsOptions, tx: Queryable, id: string): Promise<boolean> {
  const rows = options.mostRows ?? ROWS_AT_ONCE;
  // The replica that holds the lock continues; the other finds nothing to do.
  const open = await OPEN_CORRECTION.first(tx, [id]);
  if (!open) return false;
  const slice = await SLICE_OF_LOG(rows).only(tx, [open.from_at, open.to_at, open.after_id]);
  if (slice.place !== null) await correct(tx, id, open, slice.place);
  if (Number(slice.read) < rows) {
    await book(options, tx, id, open.provider_id);
    return false;
  }
  await GO_ON_AFTER.run(tx, [id, slice.place ?? '']);
  return true;
}

async function correct(tx: Queryable, id: string, open: OpenCorrection, place: string): Promise<void> {
  const rows = await UNCOSTED.rows(tx, [
    open.from_at,
    open.to_at,
    open.after_id,
    place,
    open.provider_id,
    open.model_id,
  ]);
  const price: Price = { version: 'cost', ...ratesFromText(open.price) };
  const found = rows.flatMap((row) => {
    const cost = costOfAnswer(row.detail, `${open.provider_id}:${open.upstream_model}`, price);
    return cost === undefined ? [] : [{ ...row, amount: String(cost) }];
  });
  if (found.length === 0) return;
  await ADD_CORRECTED.run(tx, [
    id,
    found.map((row) => row.id),
    found.map(({ day }) => day),
    found.map((row) => row.account_id),
    found.map(({ cost }) => cost),
    found.map(({ amount }) => amount),
    open.model_id,
    open.provider_id,
  ]);
}

/** Outcomes of attempts that did not answer the customer. */
const NO_ANSWERS = ['hedge-lost', 'broken-answer', 'skipped'];

/**
 * Returns undefined where the usage is unknown, where another route answered or continued the answer, and where the
 * cost was already booked as that of a failure.
 */
function costOfAnswer(detail: string, route: string, price: Price): Money | undefined {
  const { usage, attempts } = costFactsOf(detail);
  const answers = attempts.filter(({ outcome }) => !NO_ANSWERS.includes(outcome));
  if (usage === null || answers.some(({ providerCost }) => providerCost !== undefined)) return undefined;
  if (answers.some(({ continues, firstEventMs }) => continues && firstEventMs !== null)) return undefined;
  if (answers.length > 0 && !answers.some((one) => one.route === route)) return undefined;
  return costOf(price, usage);
}

async function book({ clock }: CostCorrectionsOptions, tx: Queryable, id: string, provider: string): Promise<void> {
  const nowMs = clock.now();
  const row = await BOOK_CORRECTION.first(tx, [id, new Date(nowMs)]);
  const entry = { id: `cost-correction:${id}`, kind: 'cost-correction' as const, provider, amount: row?.amount ?? '0' };
  await bookCosts(tx, [entry], nowMs);
}

export function correctionView(correction: CostCorrection) {
  const { id, provider, model, upstream, state, requests, revenue, amount } = correction;
  return {
    object: 'cost_correction' as const,
    id,
    provider,
    model,
    upstream_model: upstream,
    state,
    from: correction.from.toISOString(),
    requests,
    revenue: toTomanText(revenue),
    amount: toTomanText(amount),
    created_at: correction.createdAt.toISOString(),
    booked_at: correction.bookedAt?.toISOString() ?? null,
  };
}
