/** The tool runner of the newest official SDK, which would rather have the provider keep the conversation. */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { seenByVendor } from './seen-by-vendor.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

it.each(['mock/claude', 'mock/chat'])('sends the whole conversation on every turn: %s', async (model) => {
  gateway.vendor.reset();
  gateway.vendor.next(answer({ toolCalls: [{ id: 'call_1', name: 'clock', arguments: '{}' }] }), answer('Noon.'));
  const client = new Anthropic({
    baseURL: `${gateway.origin}/api`,
    authToken: gateway.key,
    apiKey: null,
    maxRetries: 0,
  });
  const clock = betaTool({
    name: 'clock',
    description: 'Tells the time.',
    inputSchema: { type: 'object', properties: {} },
    run: () => '12:00',
  });
  const last = await client.beta.messages.toolRunner({
    model,
    max_tokens: 100,
    tools: [clock],
    messages: [{ role: 'user', content: 'What time is it?' }],
  });
  expect(last.content).toMatchObject([{ type: 'text', text: 'Noon.' }]);
  const { calls, results } = seenByVendor(await gateway.vendor.received(1));
  expect(calls).toHaveLength(1);
  expect(results).toMatchObject([{ callId: calls[0]?.id }]);
});

it('a thread is refused in the words on which SDKs fall back', async () => {
  const response = await gateway.fetch('/api/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mock/claude',
      max_tokens: 10,
      thread: { type: 'continue', previous_message_id: 'msg_1' },
      messages: [{ role: 'user', content: 'And then?' }],
    }),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: 'invalid_request', param: 'thread', details: { error_code: 'thread_unsupported_request' } },
  });
});
