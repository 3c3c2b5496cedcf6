/** Small things on which real clients have stumbled. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { answer, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { openaiChat } from './adapters/openai-chat.ts';
import { seenByVendor } from './seen-by-vendor.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const TOOLS = [{ name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: {} } }];

it('a conversation begun with Gemini goes on with another vendor, whose ids carry no signature', async () => {
  const client = openaiChat(OpenAI)({ baseUrl: gateway.baseUrl, key: gateway.key });
  gateway.vendor.next(answer({ toolCalls: [{ id: 'call_1', name: 'clock', arguments: '{}' }] }), answer('Noon.'));
  const reply = await client.ask({ model: 'mock/gemini', text: 'Time?', tools: TOOLS });
  expect(reply.toolCalls[0]?.id).toContain('__sig_');
  await client.ask({ model: 'mock/chat', text: 'Time?', tools: TOOLS, after: { reply, results: ['12:00'] } });
  const { calls, results } = seenByVendor(await gateway.vendor.received(1));
  expect(calls).toHaveLength(1);
  expect(calls[0]?.id).not.toContain('__sig_');
  expect(results.map(({ callId }) => callId)).toEqual([calls[0]?.id]);
});

it('a program that only reads words of a Responses stream still learns that it broke', async () => {
  const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
  gateway.vendor.next(faults.cutAfter(5, 'reset', { text: 'A long answer that is never finished.', pieces: 7 }));
  const stream = await client.responses.create({ model: 'mock/chat', input: 'hello', stream: true });
  const read = async () => {
    for await (const event of stream) if (event.type === 'response.output_text.delta') event.delta.trim();
  };
  await expect(read()).rejects.toMatchObject({ error: { svc_code: 'upstream_error' } });
});

it('unknown queries, betas and fields of Claude Code are no reason to refuse', async () => {
  const response = await gateway.fetch('/api/v1/messages?beta=true', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'claude-code-20250219,never-heard-of-2030-01-01',
    },
    body: JSON.stringify({
      model: 'mock/claude',
      max_tokens: 64,
      system: [{ type: 'text', text: 'x-anthropic-billing-header: a', cache_control: { type: 'ephemeral' } }],
      metadata: { user_id: '{"device":"d","session":"s"}' },
      context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'system', content: 'Be brief.' },
      ],
    }),
  });
  expect(`${response.status} ${await response.text()}`).toMatch(/^200 /);
});
