/** What became of changes whose call to Redis failed. */
import { expect, it } from 'vitest';
import { CallBatcher } from '../../src/admission/redis/call-batcher.ts';
import { ChangeOutbox } from '../../src/admission/redis/outbox.ts';
import type { Change } from '../../src/admission/redis/packing.ts';
import { money } from '../../src/core/money.ts';
import { eventually } from '../services/eventually.ts';

interface Call {
  changes: Change[];
  answer(): void;
  fail(): void;
}

it('a posted balance goes again when its call fails after this replica has joined anew, though nothing else waits', async () => {
  const calls: Call[] = [];
  const membership = { shared: true, incarnation: 'first', memory: 'epoch', lost: () => undefined };
  const outbox: ChangeOutbox = new ChangeOutbox(
    (kind, id) => `${kind}:${id}`,
    () => batcher.changesWait(),
  );
  const decide = (_member: string, changes: Change[]) =>
    new Promise<[]>((resolve, reject) => {
      calls.push({ changes, answer: () => resolve([]), fail: () => reject(new Error('no answer in time')) });
    });
  const batcher = new CallBatcher({ calls: { decide }, membership, outbox, onLate: () => undefined });

  outbox.posted({ budget: 'wallet:a', posted: money(-5n), version: 3n });
  await eventually(() => expect(calls).toHaveLength(1));
  // A later call: the batcher waits for the first no longer.
  outbox.correct({ window: 'w', second: 1, delta: 1 });
  await eventually(() => expect(calls).toHaveLength(2));
  calls[1]?.answer();
  await new Promise((resolve) => setImmediate(resolve));

  membership.incarnation = 'second';
  calls[0]?.fail();
  await eventually(() => expect(calls).toHaveLength(3));
  expect(calls[2]?.changes).toEqual([{ kind: 'posted', key: 'budget:wallet:a', posted: -5n, version: 3n }]);
  calls[2]?.answer();
});
