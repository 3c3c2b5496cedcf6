/** How often outsiders may have a gateway asked about one order. */
import { expect, it } from 'vitest';
import { OrderQuestionLimit } from '../../src/payments/order-question-limit.ts';
import { HandClock } from '../admission/hand-clock.ts';

it('refuses what is too much for one order, and forgets it after a minute', () => {
  const clock = new HandClock();
  const questionLimit = new OrderQuestionLimit(clock);
  const taken = (order: string, count: number) =>
    Array.from({ length: count }).filter(() => {
      try {
        questionLimit.count(order);
        return true;
      } catch {
        return false;
      }
    }).length;
  expect(taken('a', 1_000)).toBe(20);
  expect(taken('b', 5)).toBe(5);
  clock.advance(59_999);
  expect(taken('a', 1)).toBe(0);
  expect(() => questionLimit.count('a')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  clock.advance(1);
  expect(taken('a', 30)).toBe(20);
  // A flood of names does not grow it without end: the oldest are forgotten.
  for (let n = 0; n < 10_000; n++) questionLimit.count(`flood ${n}`);
  expect(taken('a', 30)).toBe(20);
});
