/** Changes and reservations as lua/decide.lua reads them, and its answers: doubles, since reading text costs Redis more. */
import type { LimitCheck, ReserveRequest } from '../admission.ts';
import { type CheckList, CheckLists } from './check-lists.ts';

/** One change of a counter. */
export type Change =
  /** A change of what this replica has outstanding. */
  | { kind: 'hold'; key: string; delta: bigint }
  /** What the ledger has posted. `loaded` was read from the ledger for a reservation, and also renews the budget's time to live. */
  | { kind: 'posted' | 'loaded'; key: string; posted: bigint; version: bigint }
  /** A correction of a window, in the second in which it was taken. */
  | { kind: 'correct'; key: string; second: number; delta: number }
  /** A change of what this replica has leased: less of it, or all of it again after Redis lost its memory. */
  | { kind: 'lease-budget' | 'lease-window'; key: string; delta: number }
  /** An admission that Redis has not heard of. */
  | { kind: 'admitted'; key: string; at: number; amount: number };

export type ReserveReply =
  | { kind: 'unknown' }
  | { kind: 'missing'; checks: number[] }
  /** Living replicas have leased what the reservation needs, and were asked to give it back. */
  | { kind: 'leased' }
  | { kind: 'reserved'; now: number; grant: number; counts: number[] }
  | { kind: 'refused'; now: number; check: number; detail: number; counts: number[] };

/** `final`: the answer `leased` is not wanted, because there is no more time to wait. */
export type SharedReservation = ReserveRequest & { final?: boolean };

/** A counter this replica uses, and what the last request took from it. */
export type Leasable =
  | { kind: 'window'; id: string; limit: number; amount: number }
  | { kind: 'budget'; id: string; limit: bigint; amount: bigint };

export interface LeaseAnswer {
  grown: number;
  /** What the lease should be; the replica gives back what it has beyond that. */
  wanted: number;
}

export interface PackedCall {
  /** Every counter once; the first has the index `FIRST_KEY`, as the script counts. */
  keys: string[];
  changes: Buffer;
  lists: Buffer;
  reservations: Buffer;
}

/** Scripts count from one, and the first key is that of the incarnations. */
const FIRST_KEY = 2;
const BYTES = 8;
const NUMBERS_PER_CHANGE = 6;
/** Without the amounts for its windows. */
const NUMBERS_PER_RESERVATION = 4;
const NUMBERS_PER_CHECK = 3;
const NUMBERS_PER_LEASE = 4;
/** Larger amounts are cut to this, because a script compares in doubles. */
const LARGEST = 2n ** 52n;
const BILLION = 1_000_000_000n;
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
/** The numbers of changes and answers in lua/decide.lua. */
const CHANGE: Record<Change['kind'], number> = {
  hold: 1,
  posted: 2,
  correct: 3,
  admitted: 4,
  loaded: 5,
  'lease-budget': 6,
  'lease-window': 7,
};
const ANSWER: Record<ReserveReply['kind'], number> = { unknown: 0, missing: 1, reserved: 2, refused: 3, leased: 4 };

export function packCall(changes: Change[], reservations: SharedReservation[], keyOf: KeyOf): PackedCall {
  const keys = new KeyNumbers();
  const packedChanges = new DoubleWriter(changes.length * NUMBERS_PER_CHANGE);
  for (const change of changes) packChange(change, keys, packedChanges);
  const lists = new CheckLists();
  const listOf = reservations.map((reserve) => lists.of(reserve.checks));
  const numbers = listOf.reduce((sum, { windows }) => sum + NUMBERS_PER_RESERVATION + windows, 0);
  const packedReservations = new DoubleWriter(numbers);
  for (const [at, reserve] of reservations.entries())
    packReservation(reserve, (listOf[at] as CheckList).number, packedReservations);
  return {
    keys: keys.all,
    changes: packedChanges.bytes,
    lists: packLists(lists.all, keys, keyOf),
    reservations: packedReservations.bytes,
  };
}

export type KeyOf = (kind: 'window' | 'budget', id: string) => string;

class KeyNumbers {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(key: string): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.all.push(key) - 1 + FIRST_KEY;
      this.#numbers.set(key, number);
    }
    return number;
  }
}

function packLists(lists: CheckList[], keys: KeyNumbers, keyOf: KeyOf): Buffer {
  const numbers = lists.reduce((sum, { checks }) => sum + 1 + NUMBERS_PER_CHECK * checks.length, 0);
  const to = new DoubleWriter(numbers);
  for (const { checks } of lists) {
    to.put(checks.length);
    for (const check of checks) packCheck(check, keys.of(keyOf(check.kind, check.id)), to);
  }
  return to.bytes;
}

function packCheck(check: LimitCheck, key: number, to: DoubleWriter): void {
  if (check.kind === 'window') {
    to.put(key);
    to.put(check.limit);
    to.put(0);
  } else {
    to.put(-key);
    to.putInParts(check.limit);
  }
}

class DoubleWriter {
  readonly bytes: Buffer;
  #offset = 0;

  constructor(count: number) {
    this.bytes = Buffer.allocUnsafe(count * BYTES);
  }

  put(value: number): void {
    this.#offset = this.bytes.writeDoubleLE(value, this.#offset);
  }

  putSix(...values: [number, number, number, number, number, number]): void {
    for (const value of values) this.put(value);
  }

  /** Written as billions and a rest, both exact however large the amount is. */
  putInParts(amount: bigint): void {
    if (amount <= MAX_EXACT && amount >= -MAX_EXACT) {
      const small = Number(amount);
      const rest = small % 1e9;
      this.put((small - rest) / 1e9);
      this.put(rest);
    } else {
      this.put(Number(amount / BILLION));
      this.put(Number(amount % BILLION));
    }
  }
}

function packChange(change: Change, keys: KeyNumbers, to: DoubleWriter): void {
  const key = keys.of(change.key);
  switch (change.kind) {
    case 'hold':
      to.putSix(CHANGE.hold, key, Number(change.delta), 0, 0, 0);
      break;
    case 'posted':
    case 'loaded':
      to.put(CHANGE[change.kind]);
      to.put(key);
      to.putInParts(change.posted);
      to.putInParts(change.version);
      break;
    case 'correct':
      to.putSix(CHANGE.correct, key, change.second, change.delta, 0, 0);
      break;
    case 'lease-budget':
    case 'lease-window':
      to.putSix(CHANGE[change.kind], key, change.delta, 0, 0, 0);
      break;
    case 'admitted':
      to.putSix(CHANGE.admitted, key, change.at, change.amount, 0, 0);
  }
}

function packReservation({ checks, money, final }: SharedReservation, list: number, to: DoubleWriter): void {
  to.put(final === true ? -list : list);
  to.put(toNumber(money.want));
  to.put(toNumber(money.usual ?? money.want));
  to.put(toNumber(money.least));
  for (const check of checks) if (check.kind === 'window') to.put(check.amount);
}

function toNumber(amount: bigint): number {
  return Number(amount > LARGEST ? LARGEST + 1n : amount);
}

export function unpackAnswers(bytes: Buffer): ReserveReply[] {
  const answers: ReserveReply[] = [];
  const now = bytes.readDoubleLE(0);
  let offset = BYTES;
  while (offset < bytes.length) {
    const length = bytes.readDoubleLE(offset);
    const numbers: number[] = [];
    for (let i = 1; i <= length; i++) numbers.push(bytes.readDoubleLE(offset + i * BYTES));
    answers.push(toAnswer(numbers, now));
    offset += (length + 1) * BYTES;
  }
  return answers;
}

function toAnswer(numbers: number[], now: number): ReserveReply {
  const [kind, first = 0, second = 0] = numbers;
  if (kind === ANSWER.unknown) return { kind: 'unknown' };
  if (kind === ANSWER.missing) return { kind: 'missing', checks: numbers.slice(1).map((check) => check - 1) };
  if (kind === ANSWER.leased) return { kind: 'leased' };
  const counts = numbers.slice(3);
  if (kind === ANSWER.reserved) return { kind: 'reserved', now, grant: first, counts };
  return { kind: 'refused', now, check: first - 1, detail: second, counts };
}

/** Packed as lua/lease.lua reads them. */
export function packLeases(counters: Leasable[]): Buffer {
  const to = new DoubleWriter(counters.length * NUMBERS_PER_LEASE);
  for (const { kind, limit, amount } of counters) {
    to.put(kind === 'window' ? 1 : -1);
    if (kind === 'window') {
      to.put(limit);
      to.put(0);
      to.put(amount);
    } else {
      to.putInParts(limit);
      to.put(toNumber(amount));
    }
  }
  return to.bytes;
}

export function unpackLeases(bytes: Buffer): LeaseAnswer[] {
  const answers: LeaseAnswer[] = [];
  for (let at = 0; at < bytes.length; at += 2 * BYTES) {
    answers.push({ grown: bytes.readDoubleLE(at), wanted: bytes.readDoubleLE(at + BYTES) });
  }
  return answers;
}

/** Posted as read.lua answers it, in parts. */
export function fromParts(billions: string, rest: string): bigint {
  return BigInt(billions) * BILLION + BigInt(rest);
}
