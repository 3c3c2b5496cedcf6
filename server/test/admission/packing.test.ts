/** How reservations that leave together are packed for the script. */
import { expect, it } from 'vitest';
import type { LimitCheck } from '../../src/admission/admission.ts';
import { packCall, type SharedReservation } from '../../src/admission/redis/packing.ts';
import { money } from '../../src/core/money.ts';

const wallet = (limit: bigint): LimitCheck => ({
  kind: 'budget',
  name: 'wallet',
  id: 'wallet:a',
  home: 'a',
  limit: money(limit),
});
const tokens = (amount: number, limit = 1_000): LimitCheck => ({
  kind: 'window',
  name: 'key-tokens',
  id: 'tpm:key:k',
  home: 'a',
  limit,
  amount,
});
const reservation = (...checks: LimitCheck[]): SharedReservation => ({
  requestId: 'request',
  checks,
  money: { want: money(3n), least: money(1n) },
});

function packed(...reservations: SharedReservation[]) {
  const call = packCall([], reservations, (kind, id) => `${kind}:${id}`);
  const doubles = (bytes: Buffer) => Array.from({ length: bytes.length / 8 }, (_, at) => bytes.readDoubleLE(8 * at));
  return { keys: call.keys, lists: doubles(call.lists), reservations: doubles(call.reservations) };
}

const LIST = [2, 2, 1_000, 0, -3, 0, 9];

it('requests that check the same counters against the same limits share one list, each with its own amounts', () => {
  const call = packed(reservation(tokens(7), wallet(9n)), reservation(tokens(8), wallet(9n)));
  expect(call).toEqual({
    keys: ['window:tpm:key:k', 'budget:wallet:a'],
    lists: LIST,
    reservations: [1, 3, 3, 1, 7, 1, 3, 3, 1, 8],
  });
});

it('a request that cannot wait shares the list as well', () => {
  const final = { ...reservation(tokens(8), wallet(9n)), final: true };
  expect(packed(reservation(tokens(7), wallet(9n)), final).reservations).toEqual([1, 3, 3, 1, 7, -1, 3, 3, 1, 8]);
});

it.each([
  ['another limit of a budget', [tokens(7), wallet(8n)], [2, 2, 1_000, 0, -3, 0, 8]],
  ['another limit of a window', [tokens(7, 500), wallet(9n)], [2, 2, 500, 0, -3, 0, 9]],
  ['fewer counters', [tokens(7)], [1, 2, 1_000, 0]],
  ['another order', [wallet(9n), tokens(7)], [2, -3, 0, 9, 2, 1_000, 0]],
])('%s makes a list of its own', (_, checks, list) => {
  const call = packed(reservation(tokens(7), wallet(9n)), reservation(...checks));
  expect(call.lists).toEqual([...LIST, ...list]);
  expect(call.reservations[5]).toBe(2);
  expect(call.keys).toHaveLength(2);
});

it('a request that checks nothing has an empty list', () => {
  expect(packed(reservation())).toEqual({ keys: [], lists: [0], reservations: [1, 3, 3, 1] });
});
