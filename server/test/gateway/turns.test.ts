/** Long counting leaves room for others: one slice of anybody's per turn of the event loop. */
import { expect, it } from 'vitest';
import { SLICE } from '../../src/core/token-estimate.ts';
import { countInTurns } from '../../src/gateway/admit/count-waiting.ts';
import { nextTurn } from '../../src/gateway/admit/turns.ts';

it('gives one turn at a time, in order', async () => {
  const given: number[] = [];
  let perTurn = 0;
  let most = 0;
  const all = Promise.all(
    Array.from({ length: 20 }, async (_, caller) => {
      await nextTurn();
      given.push(caller);
      perTurn++;
    }),
  );
  let isDone = false;
  void all.then(() => {
    isDone = true;
  });
  const watch = (): void => {
    most = Math.max(most, perTurn);
    perTurn = 0;
    if (!isDone) setImmediate(watch);
  };
  setImmediate(watch);
  await all;
  expect(given).toEqual(Array.from({ length: 20 }, (_, caller) => caller));
  expect(most).toBe(1);
});

it('others are served between two slices of a long text', async () => {
  let others = 0;
  let isDone = false;
  const other = (): void => {
    others++;
    if (!isDone) setImmediate(other);
  };
  setImmediate(other);
  await Promise.all([countInTurns('word '.repeat(SLICE)), countInTurns('text '.repeat(SLICE))]);
  isDone = true;
  // Each of the two is five slices.
  expect(others).toBeGreaterThanOrEqual(9);
});
