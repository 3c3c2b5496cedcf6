/** The official OpenAI SDK against the running gateway. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const hello = [{ role: 'user' as const, content: 'hello' }];

describe('chat completions', () => {
  it('answers', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'mock/chat', messages: hello })
      .withResponse();
    expect(data.object).toBe('chat.completion');
    expect(data.model).toBe('mock/chat');
    expect(data.choices[0]?.message.content).toBeTruthy();
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-svc-request-id')).toMatch(/^req_/);
    expect(Number(response.headers.get('x-svc-cost'))).toBeGreaterThan(0);
  });

  it('streams', async () => {
    const stream = await client.chat.completions.create({
      model: 'mock/chat',
      messages: hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | undefined | null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).not.toBe('');
    expect(usage?.total_tokens).toBeGreaterThan(0);
  });
});
