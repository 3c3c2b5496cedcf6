/** A kept answer is the answer and nothing else: a day of them must not hold a day of requests. @process own */
import { expect, it } from 'vitest';
import type { Answer, Sink } from '../../src/core/answer.ts';
import type { Call } from '../../src/gateway/index.ts';
import type { SharedClaims } from '../../src/idempotency/index.ts';
import { Idempotency } from '../../src/idempotency/index.ts';
import { collectGarbage } from '../services/collect-garbage.ts';

const BOUNDS = { entries: 10, bytesPerAnswer: 10_000, totalBytes: 100_000, keepMs: 86_400_000 };
const CLOCK = { now: () => 1_700_000_000_000, monotonicMs: () => 0 };
const KEYED = { name: 'acme key-1', accountId: 'acme', deadlineAtMs: 1_000 };
/** One replica, alone: it always answers itself. */
const ALONE: SharedClaims = {
  claim: async () => ({ kind: 'ours' }),
  charging: async () => true,
  finished: () => undefined,
  release: async () => undefined,
  flush: async () => undefined,
};
const FRAMES = ['data: one\n\n', 'data: two\n\n'];

function callOf(id: string): Call {
  const call = { id, body: new TextEncoder().encode('{"model":"m"}'), metadata: { windows: new Map(), warnings: [] } };
  return call as unknown as Call;
}

async function readAll(answer: Answer): Promise<string> {
  if (answer.kind === 'body') return String(answer.body);
  let text = '';
  const sink: Sink = {
    write(data) {
      text += String(data);
      return undefined;
    },
    end: () => undefined,
    cut: () => undefined,
    gone: false,
  };
  await answer.run(sink);
  return text;
}

/** In a function of its own, so that no variable of the test holds the call. */
async function answerOnce(store: Idempotency): Promise<WeakRef<Call>> {
  const call = callOf('req_first');
  const answer = await store.once(KEYED, call, async () => ({
    kind: 'stream',
    contentType: 'text/event-stream',
    async run(sink) {
      for (const frame of FRAMES) await sink.write(frame);
      call.metadata.state = 'completed';
      sink.end();
    },
  }));
  expect(await readAll(answer)).toBe(FRAMES.join(''));
  return new WeakRef(call);
}

it('a stream that ended lets go of its request and is still replayed', async () => {
  const store = new Idempotency(BOUNDS, CLOCK, ALONE);
  const call = await answerOnce(store);
  await collectGarbage();
  expect(call.deref()).toBeUndefined();
  const again = await store.once(KEYED, callOf('req_second'), () => Promise.reject(new Error('not again')));
  expect(again.headers?.['x-svc-original-request-id']).toBe('req_first');
  expect(await readAll(again)).toBe(FRAMES.join(''));
});
