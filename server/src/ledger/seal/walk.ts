/**
 * A walk over the rows of one day, in slices: the requests, then charges by their ids, the other transfers by their
 * time, and what came late. A walk that seals books the cost of the day's failures in between, so that it is among the
 * day's transfers. Every slice is one transaction that also stores the progress, so a process that continues after a
 * killed one adds nothing twice.
 */
import type { Database, Queryable } from '../../platform/db/database.ts';
import { chargeIdsEnd, dayAfter, firstChargeId, startOfDay } from './home-days.ts';
import type { Pace } from './pace.ts';
import { BEGIN_WALK, FORGET_WALK, PROGRESS_OF_WALK, type WalkProgress, WRITE_PROGRESS } from './seal-rows.ts';
import { type Faults, type ReadStep, type SealStep, WALK_SLICE, type WalkSlice } from './walk-sql.ts';
import { addProbes, addWaste, bookWaste } from './waste.ts';

export type Walk = 'seal' | 'read';

/** What a walk summed beside its tables. */
export interface DayTotals {
  transfers: bigint;
  late: bigint;
  requests: bigint;
  amount: string;
  charged: string;
  hashLow: string;
  hashHigh: string;
  faults: Faults;
}

export interface Walker {
  db: Database;
  pace: Pace;
  /** Called inside every transaction; throws when the run is no longer ours. */
  keepLease(tx: Queryable, rows: number): Promise<void>;
}

const FIRST_STEP = 'requests';
const NEXT: Record<Exclude<SealStep, 'done'>, SealStep> = {
  requests: 'late-requests',
  'late-requests': 'waste',
  waste: 'charges',
  charges: 'others',
  others: 'late',
  late: 'done',
};

const MAX_NAMED = 5;

/** Reads the rest of the day. A walk that was at another day starts from the beginning. */
export async function walkDay(walker: Walker, walk: Walk, day: string): Promise<DayTotals> {
  for (;;) {
    const progress = await walker.pace.slice((rows) =>
      walker.db.report((tx) => oneSlice(walker, tx, walk, day, rows), { for: 'job' }),
    );
    if (progress.step === 'done') return totalsOf(progress);
  }
}

async function oneSlice(walker: Walker, tx: Queryable, walk: Walk, day: string, rows: number): Promise<WalkProgress> {
  const progress = await progressOf(tx, walk, day);
  if (progress.step === 'done') return progress;
  if (progress.step === 'waste') return afterWaste(walker, tx, walk, progress);
  const slice = await readSlice(tx, walk, progress, progress.step, rows);
  if (slice.unsold.length > 0) await addWaste(tx, walk, day, slice.unsold);
  await walker.keepLease(tx, Number(slice.transfers + slice.requests));
  const isOver = Number(slice.read) < rows;
  const isLate = progress.step === 'late';
  const next: WalkProgress = {
    ...progress,
    step: isOver ? NEXT[progress.step] : progress.step,
    after_id: isOver ? '' : (slice.place ?? ''),
    transfers: progress.transfers + slice.transfers,
    late: progress.late + (isLate ? slice.transfers : 0n),
    requests: progress.requests + slice.requests,
    amount: add(progress.amount, slice.amount),
    charged: add(progress.charged, slice.charged),
    hash_low: add(progress.hash_low, slice.hash_low),
    hash_high: add(progress.hash_high, slice.hash_high),
    faults: mergeFaults(progress.faults, slice.faults),
  };
  await writeProgress(tx, walk, next);
  return next;
}

async function afterWaste(walker: Walker, tx: Queryable, walk: Walk, progress: WalkProgress): Promise<WalkProgress> {
  await walker.keepLease(tx, 0);
  await addProbes(tx, walk, progress.day);
  if (walk === 'seal') await bookWaste(tx, progress.day);
  const next: WalkProgress = { ...progress, step: NEXT.waste, after_id: '' };
  await writeProgress(tx, walk, next);
  return next;
}

async function writeProgress(tx: Queryable, walk: Walk, next: WalkProgress): Promise<void> {
  await WRITE_PROGRESS.run(tx, [
    walk,
    next.step,
    next.after_id,
    next.transfers,
    next.late,
    next.requests,
    next.amount,
    next.charged,
    next.hash_low,
    next.hash_high,
    JSON.stringify(next.faults),
  ]);
}

async function progressOf(tx: Queryable, walk: Walk, day: string): Promise<WalkProgress> {
  const known = await PROGRESS_OF_WALK.first(tx, [walk]);
  if (known?.day === day) return known;
  await forgetWalk(tx, walk);
  await BEGIN_WALK.run(tx, [walk, day, FIRST_STEP]);
  const nothing = { transfers: 0n, late: 0n, requests: 0n, amount: '0', charged: '0', hash_low: '0', hash_high: '0' };
  return { day, step: FIRST_STEP, after_id: '', ...nothing, faults: {} };
}

/** Deletes the sums of a walk that is over or was abandoned. */
export async function forgetWalk(tx: Queryable, walk: Walk): Promise<void> {
  for (const forget of FORGET_WALK) await forget.run(tx, [walk]);
}

async function readSlice(
  tx: Queryable,
  walk: Walk,
  { day, after_id: after }: WalkProgress,
  step: ReadStep,
  rows: number,
): Promise<WalkSlice> {
  const [fromMs, toMs] = [startOfDay(day), startOfDay(dayAfter(day))];
  const times = [new Date(fromMs), new Date(toMs)];
  const ids = [firstChargeId(fromMs), chargeIdsEnd(toMs)];
  const values: Record<ReadStep, unknown[]> = {
    charges: [...ids, ...times],
    others: times,
    late: [day],
    requests: times,
    'late-requests': [day],
  };
  return WALK_SLICE(walk === 'seal', rows, step).only(tx, [walk, after, ...values[step]]);
}

function totalsOf(progress: WalkProgress): DayTotals {
  const { transfers, late, requests, amount, charged, faults } = progress;
  return {
    transfers,
    late,
    requests,
    amount,
    charged,
    hashLow: progress.hash_low,
    hashHigh: progress.hash_high,
    faults,
  };
}

function add(a: string, b: string): string {
  return String(BigInt(a) + BigInt(b));
}

export function mergeFaults(known: Faults, more: Faults): Faults {
  const merged: Faults = { ...known };
  for (const [check, { total, such }] of Object.entries(more)) {
    const before = merged[check] ?? { total: 0, such: [] };
    merged[check] = { total: before.total + Number(total), such: [...before.such, ...such].slice(0, MAX_NAMED) };
  }
  return merged;
}
