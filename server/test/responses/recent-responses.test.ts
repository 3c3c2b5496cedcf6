/** What is kept of recent answers: this measures the process. @process own */
import { expect, it } from 'vitest';
import { RecentResponses } from '../../src/responses/recent-responses.ts';
import { pack } from '../../src/responses/stored-response.ts';
import { collectGarbage } from '../services/collect-garbage.ts';

const BOUND_BYTES = 8 << 20;

function packed(number: number, text: string) {
  const id = `resp_${number}`;
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  const output = [{ id: `msg_${number}`, type: 'message', status: 'completed', role: 'assistant', content }];
  const input = [{ type: 'message', role: 'user', content: `${number} ${text}` }];
  return pack({ id, accountId: 'acme', previousId: null, input, response: { id, output }, createdAt: 0, expiresAt: 1 });
}

it.each([
  ['short answers', 'yes'],
  ['Persian answers', 'سلام، حال شما چطور است؟ '.repeat(20)],
])('%s take no more memory than the bound says', async (_name, text) => {
  const recent = new RecentResponses(BOUND_BYTES);
  await collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let number = 0; number < 12_000; number++) recent.add(packed(number, text));
  await collectGarbage();
  const taken = process.memoryUsage().heapUsed - before;
  // It was filled, the oldest had to go, and what is there costs what was counted, within a tenth.
  expect(recent.bytes).toBeGreaterThan(BOUND_BYTES * 0.99);
  expect(recent.find('acme', 'resp_0', 0)).toBeUndefined();
  expect(recent.find('acme', 'resp_11999', 0)).toBeDefined();
  expect(recent.holding('acme', 'msg_11999', 0)?.id).toBe('resp_11999');
  expect(taken).toBeLessThan(BOUND_BYTES * 1.1);
});
