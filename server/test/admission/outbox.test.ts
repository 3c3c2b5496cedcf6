/** What waits for the next call to Redis. */
import { expect, it } from 'vitest';
import { ChangeOutbox } from '../../src/admission/redis/outbox.ts';

const outboxOf = () =>
  new ChangeOutbox(
    (kind, id) => `${kind}:${id}`,
    () => undefined,
  );
const correct = (key: string, second: number, delta: number) => ({ kind: 'correct', key, second, delta });

it('corrections of one window and second add up, and keep their place between the others', () => {
  const outbox = outboxOf();
  for (const [window, second, delta] of [
    ['w', 1, -3],
    ['w', 1, -4],
    ['v', 1, -5],
    ['w', 1, 6],
    ['w', 2, 7],
    ['w', 2, 0],
  ] as const)
    outbox.correct({ window, second, delta });
  expect(outbox.collect().changes).toEqual([
    correct('window:w', 1, -7),
    correct('window:v', 1, -5),
    correct('window:w', 1, 6),
    correct('window:w', 2, 7),
  ]);
});

it('a correction that left in a call is not changed by the next', () => {
  const outbox = outboxOf();
  outbox.correct({ window: 'w', second: 1, delta: -3 });
  const { changes } = outbox.collect();
  outbox.correct({ window: 'w', second: 1, delta: -4 });
  expect([changes, outbox.collect().changes]).toEqual([[correct('window:w', 1, -3)], [correct('window:w', 1, -4)]]);
  expect(outbox.empty).toBe(true);
});

it('a correction is the one that its hold gave, whatever was added to it here', () => {
  const outbox = outboxOf();
  const given = { window: 'w', second: 1, delta: -3 };
  outbox.correct(given);
  outbox.correct({ window: 'w', second: 1, delta: -4 });
  expect(given.delta).toBe(-3);
});
