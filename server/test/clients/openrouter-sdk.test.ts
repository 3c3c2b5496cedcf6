/**
 * OpenRouter's own SDK, which reads every answer strictly: a field that it wants and does not find is an error, even when the
 * answer is whole.
 */
import { OpenRouter } from '@openrouter/sdk';
import { tool } from '@openrouter/sdk/lib/tool.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod/v4';
import { answer } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const UPSTREAMS = ['mock/chat', 'mock/claude', 'mock/responses', 'mock/gemini'];

interface Chunk {
  choices: { delta: { content?: string | null } }[];
}

/** Its types do not tell a stream from a whole answer. */
async function read(stream: unknown): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of stream as AsyncIterable<unknown>) events.push(event);
  return events;
}

let gateway: TestGateway;
let client: OpenRouter;
beforeAll(async () => {
  gateway = await startGateway();
  client = new OpenRouter({ apiKey: gateway.key, serverURL: gateway.baseUrl, retryConfig: { strategy: 'none' } });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

describe.each(UPSTREAMS)('%s', (model) => {
  const messages = [{ role: 'user' as const, content: 'Say hello.' }];

  it('chat, whole and as a stream', async () => {
    gateway.vendor.next(answer('Hello.'), answer('Hello.'));
    const whole = await client.chat.send({ chatRequest: { model, messages, stream: false } });
    expect(whole).toMatchObject({ choices: [{ message: { content: 'Hello.' } }] });
    const chunks = await read(await client.chat.send({ chatRequest: { model, messages, stream: true } }));
    const texts = chunks.map((chunk) => (chunk as Chunk).choices[0]?.delta.content ?? '');
    expect(texts.join('')).toBe('Hello.');
  });

  it('responses, whole and as a stream', async () => {
    gateway.vendor.next(answer('Hello.'), answer('Hello.'));
    const whole = await client.beta.responses.send({ responsesRequest: { model, input: 'Hi', stream: false } });
    expect(whole).toMatchObject({ status: 'completed', model });
    const events = await read(
      await client.beta.responses.send({ responsesRequest: { model, input: 'Hi', stream: true } }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' });
  });

  it('callModel with a tool that it runs itself', async () => {
    gateway.vendor.next(answer({ toolCalls: [{ id: 'call_1', name: 'clock', arguments: '{}' }] }), answer('Noon.'));
    const clock = tool({
      name: 'clock',
      description: 'Tells the time.',
      inputSchema: z.object({}),
      outputSchema: z.object({ time: z.string() }),
      execute: async () => ({ time: '12:00' }),
    });
    const result = client.callModel({ model, input: 'What time is it?', tools: [clock] });
    expect(await result.getText()).toBe('Noon.');
    expect(await gateway.vendor.received(1)).toBeDefined();
  });
});

it('what it looks up', async () => {
  const { result: models } = await client.models.list();
  expect(models.data.map(({ id }) => id)).toContain('mock/chat');
  const rest = await client.models.list({ offset: models.data.length - 1 });
  expect(rest.result.data).toHaveLength(1);
  // Charges are posted in the background.
  await eventually(async () => {
    const { data: credits } = await client.credits.getCredits();
    const { data: key } = await client.apiKeys.getCurrentKeyMetadata();
    expect(key).toMatchObject({ label: 'main', limit: null, isFreeTier: false });
    expect(key.usage).toBeGreaterThan(0);
    expect(key.usage).toBeCloseTo(credits.totalUsage, 6);
    expect(key.usageDaily).toBeCloseTo(key.usage, 6);
  });
});
