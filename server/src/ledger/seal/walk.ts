/**
 * A walk over the rows of one day, in slices: the requests, then charges by their ids, the other transfers by their time, and what
 * came late. A walk that seals books what the day's failures cost in between, so that the day's transfers have it too. Every slice is one transaction that also writes how far the walk came, so whoever goes on after a killed process
 * adds nothing twice.
 */
import type { Database, Queryable } from '../../platform/db/database.ts';
import { chargeIdsEnd, dayAfter, firstChargeId, startOfDay } from './home-days.ts';
import type { Pace } from './pace.ts';
import { type SliceStatements, sliceStatements } from './walk-sql.ts';
import { addProbes, addWaste, bookWaste, type UnsoldRow } from './waste.ts';

export type Walk = 'seal' | 'read';

/** By check: how many faults, and the first of them. */
export type Faults = Record<string, { total: number; such: string[] }>;

/** What a walk added up beside its tables. */
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
  /** Inside every transaction: throws when the run is no longer ours. */
  keepLease(tx: Queryable, rows: number): Promise<void>;
}

type ReadStep = keyof SliceStatements;
type Step = ReadStep | 'waste' | 'done';
const FIRST_STEP = 'requests';
const NEXT: Record<Exclude<Step, 'done'>, Step> = {
  requests: 'late-requests',
  'late-requests': 'waste',
  waste: 'charges',
  charges: 'others',
  others: 'late',
  late: 'done',
};

interface Progress {
  day: string;
  step: Step;
  after_id: string;
  transfers: bigint;
  late: bigint;
  requests: bigint;
  amount: string;
  charged: string;
  hash_low: string;
  hash_high: string;
  faults: Faults;
}

interface Slice {
  read: bigint;
  place: string | null;
  transfers: bigint;
  requests: bigint;
  amount: string;
  charged: string;
  hash_low: string;
  hash_high: string;
  unsold: UnsoldRow[];
  faults: Faults;
}

const MAX_NAMED = 5;

/** Reads what is left of the day. Where the walk stood at another day, it begins anew. */
export async function walkDay(walker: Walker, walk: Walk, day: string): Promise<DayTotals> {
  for (;;) {
    const progress = await walker.pace.slice((rows) =>
      walker.db.report((tx) => oneSlice(walker, tx, walk, day, rows), { for: 'job' }),
    );
    if (progress.step === 'done') return totalsOf(progress);
  }
}

async function oneSlice(walker: Walker, tx: Queryable, walk: Walk, day: string, rows: number): Promise<Progress> {
  const progress = await progressOf(tx, walk, day);
  if (progress.step === 'done') return progress;
  if (progress.step === 'waste') return afterWaste(walker, tx, walk, progress);
  const slice = await readSlice(tx, walk, progress, progress.step, rows);
  if (slice.unsold.length > 0) await addWaste(tx, walk, day, slice.unsold);
  await walker.keepLease(tx, Number(slice.transfers + slice.requests));
  const isOver = Number(slice.read) < rows;
  const isLate = progress.step === 'late';
  const next: Progress = {
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

async function afterWaste(walker: Walker, tx: Queryable, walk: Walk, progress: Progress): Promise<Progress> {
  await walker.keepLease(tx, 0);
  await addProbes(tx, walk, progress.day);
  if (walk === 'seal') await bookWaste(tx, progress.day);
  const next: Progress = { ...progress, step: NEXT.waste, after_id: '' };
  await writeProgress(tx, walk, next);
  return next;
}

async function writeProgress(tx: Queryable, walk: Walk, next: Progress): Promise<void> {
  await tx.query(
    `update seal_progress set step = $2, after_id = $3, transfers = $4, late = $5, requests = $6, amount = $7, charged = $8,
       hash_low = $9, hash_high = $10, faults = $11 where walk = $1`,
    [
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
    ],
  );
}

async function progressOf(tx: Queryable, walk: Walk, day: string): Promise<Progress> {
  const [known] = await tx.query<Progress>(
    `select day::text as day, step, after_id, transfers, late, requests, amount::text as amount, charged::text as charged,
       hash_low::text as hash_low, hash_high::text as hash_high, faults from seal_progress where walk = $1 for update`,
    [walk],
  );
  if (known?.day === day) return known;
  await forgetWalk(tx, walk);
  await tx.query(`insert into seal_progress (walk, day, step, after_id, faults) values ($1, $2, $3, '', '{}')`, [
    walk,
    day,
    FIRST_STEP,
  ]);
  const nothing = { transfers: 0n, late: 0n, requests: 0n, amount: '0', charged: '0', hash_low: '0', hash_high: '0' };
  return { day, step: FIRST_STEP, after_id: '', ...nothing, faults: {} };
}

/** The sums of a walk that is over, or that nobody goes on with. */
export async function forgetWalk(tx: Queryable, walk: Walk): Promise<void> {
  for (const table of ['seal_progress', 'walk_day', 'walk_balance', 'walk_money', 'walk_spend'])
    await tx.query(`delete from ${table} where walk = $1`, [walk]);
}

async function readSlice(
  tx: Queryable,
  walk: Walk,
  { day, after_id: after }: Progress,
  step: ReadStep,
  rows: number,
): Promise<Slice> {
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
  const text = sliceStatements(walk === 'seal', rows)[step];
  const [slice] = await tx.query<Slice>(text, [walk, after, ...values[step]]);
  if (!slice) throw new Error('a slice of the books answered nothing');
  return slice;
}

function totalsOf(progress: Progress): DayTotals {
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
