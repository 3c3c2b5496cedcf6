/** Ends of requests that the database does not take: bounded, in order, and none holds up the others. */
import { expect, it } from 'vitest';
import { UnsavedAnswers } from '../../src/idempotency/claims/unsaved-answers.ts';
import type { Claimant } from '../../src/idempotency/index.ts';
import { recordedLog } from '../services/silent-log.ts';
import { answerOf } from './replicas-of-claims.ts';

const EXPIRES_AT = 1_000;

function claimant(requestId: string): Claimant {
  return { id: requestId, accountId: 'acme', bodyDigest: 'b', requestId, createdAt: 0, expiresAt: EXPIRES_AT };
}

/** What the database took, as `request:text`; `-` for the fact alone. */
function openQueue(maxBytes = 1_000) {
  const taken: string[] = [];
  const settled: string[] = [];
  const state = { refused: (_requestId: string) => true };
  const log = recordedLog();
  const queue = new UnsavedAnswers({
    maxBytes,
    async save({ claimant: { requestId }, answer }) {
      if (state.refused(requestId)) throw new Error('gone');
      taken.push(`${requestId}:${answer ? Buffer.from(answer.body).toString() : '-'}`);
    },
    onSettled: ({ requestId }) => void settled.push(requestId),
    log,
  });
  return { queue, taken, settled, state, log };
}

it('beyond the bytes the oldest keep the fact alone', async () => {
  const { queue, taken, settled, state } = openQueue(25);
  for (const id of ['a', 'b', 'c', 'd']) queue.put({ claimant: claimant(id), answer: answerOf('ten bytes.') });
  await queue.flush();
  expect(settled).toEqual([]);
  state.refused = () => false;
  queue.retry(0);
  await queue.flush();
  expect(taken.toSorted()).toEqual(['a:-', 'b:-', 'c:ten bytes.', 'd:ten bytes.']);
  expect(settled.toSorted()).toEqual(['a', 'b', 'c', 'd']);
});

it('one that is never taken does not hold up the others, and ends with its time', async () => {
  const { queue, taken, settled, state } = openQueue();
  state.refused = (id) => id === 'bad';
  for (const id of ['bad', 'a', 'b', 'c', 'd', 'e']) queue.put({ claimant: claimant(id), answer: answerOf(id) });
  for (let attempt = 0; attempt < 5; attempt++) {
    queue.retry(0);
    await queue.flush();
  }
  expect(taken.toSorted()).toEqual(['a:a', 'b:b', 'c:c', 'd:d', 'e:e']);
  queue.retry(EXPIRES_AT);
  expect(settled).toContain('bad');
});

it('beyond the entries the oldest are given up, which the log says', async () => {
  const { queue, settled, log } = openQueue();
  for (let i = 0; i < 10_002; i++) queue.put({ claimant: claimant(`r${i}`), answer: undefined });
  await queue.flush();
  expect(settled).toEqual(['r0', 'r1']);
  expect(log.lines.filter(({ message }) => message.includes('given up'))).toHaveLength(2);
});
