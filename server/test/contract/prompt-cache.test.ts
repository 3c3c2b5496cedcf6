/** The prompt-cache helper: what is marked and what is not, the words that stay the same, and its money. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { expectAddsUp, receiptOf } from '../money/receipts.ts';

const HELPED = 'dg-test-helped';
let gateway: TestGateway;
let vendor: FakeVendor;
beforeAll(async () => {
  vendor = await startFakeVendor();
  const config = defaultConfig(vendor) as { providers: object[]; models: object[] };
  const openai = {
    id: 'own-openai',
    vendor: 'openai',
    base_url: vendor.baseUrls['openai-chat'],
    api_key: 'up-o-secret',
  };
  gateway = await startGateway({
    vendor,
    config: {
      providers: [...config.providers, openai],
      models: [
        ...config.models,
        {
          id: 'mock/keyed',
          routes: [{ provider: 'own-openai', model: 'gpt-4o' }],
          price: { input: 15_000, output: 60_000 },
          context: 128_000,
          capabilities: ['streaming'],
        },
      ],
      accounts: [
        {
          id: 'acme',
          balance: 10_000_000,
          keys: [
            { id: 'main', key: 'dg-test-main' },
            { id: 'helped', key: HELPED, rules: { prompt_cache: true } },
          ],
        },
      ],
    },
  });
}, 120_000);
afterAll(async () => {
  await gateway.stop();
  await vendor.close();
});
beforeEach(() => vendor.reset());

let prompts = 0;
/** Over 4,096 tokens, which is the least of a model that nobody knows. */
const longText = () => `manual ${++prompts}: ${'All work and no play makes a dull day. '.repeat(500)}`;
const hello = { role: 'user', content: 'hello' };
const MARK = { type: 'ephemeral' };

async function ask(path: string, body: object, key = HELPED): Promise<Response> {
  const response = await gateway.fetch(`/api/v1${path}`, {
    key,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mock/claude', max_tokens: 50, ...body }),
  });
  const text = await response.clone().text();
  expect(response.status, text).toBe(200);
  return response;
}

const sent = () => vendor.requests.at(-1)?.body as Record<string, unknown>;
const marksIn = (body: unknown) => JSON.stringify(body).split('"cache_control"').length - 1;
/** What the model reads: blocks as texts, without markers. */
function words(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (name === 'cache_control') return undefined;
    const only =
      Array.isArray(value) && value.length === 1 ? (value[0] as { type?: string; text?: string }) : undefined;
    return only?.type === 'text' ? only.text : value;
  });
}

describe.each([
  [
    'a client of the same protocol',
    (system: string) => ['/messages', { system, top_unknown: 1, messages: [hello] }] as const,
  ],
  [
    'a client of another',
    (system: string) => ['/chat/completions', { messages: [{ role: 'system', content: system }, hello] }] as const,
  ],
])('%s', (_who, make) => {
  it('has a long beginning marked once it comes again, and reads the same', async () => {
    const [path, body] = make(longText());
    await ask(path, body);
    const plain = sent();
    expect(marksIn(plain)).toBe(0);
    await ask(path, body);
    const marked = sent();
    expect(marksIn(marked)).toBe(1);
    expect((marked['system'] as object[]).at(-1)).toMatchObject({ cache_control: MARK });
    expect(words(marked)).toBe(words(plain));
  });

  it('has nothing marked that is short, or without the rule', async () => {
    for (const [system, key] of [
      ['short', HELPED],
      [longText(), 'dg-test-main'],
    ] as const) {
      const [path, body] = make(system);
      await ask(path, body, key);
      await ask(path, body, key);
      expect(marksIn(sent())).toBe(0);
    }
  });
});

describe('markers', () => {
  const tools = [{ name: 'f', description: 'd '.repeat(9_000), input_schema: { type: 'object' } }];
  const turns = [hello, { role: 'assistant', content: 'hi' }, { role: 'user', content: 'and now?' }];

  it('of a conversation stand after tools, system and the last turn, at once, and never more than four', async () => {
    const body = { system: longText(), tools, messages: turns };
    await ask('/messages', body);
    const { tools: offered, system, messages } = sent() as { tools: object[]; system: object[]; messages: object[] };
    expect(offered.at(-1)).toMatchObject({ cache_control: MARK });
    expect(system.at(-1)).toMatchObject({ cache_control: MARK });
    expect(messages.at(-1)).toMatchObject({ content: [{ type: 'text', text: 'and now?', cache_control: MARK }] });
    expect(marksIn(sent())).toBe(3);
    expect(words(sent())).toContain('"content":"and now?"');
  });

  it('stand on results of tools too, whichever protocol asked', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    await ask('/chat/completions', {
      messages: [
        { role: 'system', content: longText() },
        hello,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'done' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    });
    expect(marksIn((sent()['messages'] as object[]).at(-1))).toBe(1);
    expect(marksIn(sent())).toBe(2);
  });

  it.each([
    ['on a block', { system: [{ type: 'text', text: longText(), cache_control: { type: 'ephemeral', ttl: '1h' } }] }],
    ['on the request', { system: longText(), cache_control: { type: 'ephemeral' } }],
  ])('of the client’s own, %s, are all there are', async (_where, own) => {
    await ask('/messages', { ...own, messages: turns });
    expect(marksIn(sent())).toBe(1);
  });

  it('are nothing that a provider of another protocol gets, and no fallback hears of them', async () => {
    for (const model of ['mock/chat', 'mock/responses', 'mock/gemini']) {
      const response = await ask('/messages', { model, system: longText(), messages: turns });
      expect(marksIn(sent())).toBe(0);
      expect(response.headers.get('x-svc-warnings') ?? '').not.toContain('cache_control');
    }
  });
});

describe('OpenAI', () => {
  it('is told a key of the beginning, one per key and system text, unless the client names its own', async () => {
    const system = { role: 'system', content: longText() };
    const keyOf = async (fields: object) => {
      await ask('/chat/completions', { model: 'mock/keyed', messages: [system, hello], ...fields });
      return sent()['prompt_cache_key'];
    };
    const first = await keyOf({});
    expect(first).toMatch(/^[\w-]{32}$/);
    expect(await keyOf({ messages: [system, { role: 'user', content: 'else' }] })).toBe(first);
    expect(await keyOf({ messages: [{ ...system, content: longText() }, hello] })).not.toBe(first);
    expect(await keyOf({ prompt_cache_key: 'mine' })).toBe('mine');
    await ask('/chat/completions', { model: 'mock/chat', messages: [system, hello] });
    expect(sent()['prompt_cache_key']).toBeUndefined();
  });
});

describe('its money', () => {
  it('is held with the price of writing, and the receipt says what was saved', async () => {
    const client = new Anthropic({ apiKey: HELPED, baseURL: `${gateway.origin}/api` });
    const system = longText();
    const make = async (usage: object) => {
      vendor.next(answer({ text: 'ok', usage: { input: 5_000, output: 10, ...usage } }));
      const params = {
        model: 'mock/claude',
        max_tokens: 50,
        system,
        messages: [{ role: 'user' as const, content: 'hello' }],
      };
      const { response } = await client.messages.create(params).withResponse();
      const receipt = await receiptOf(gateway, response, HELPED);
      expectAddsUp(receipt);
      return receipt;
    };
    const plain = await make({});
    const written = await make({ cacheWrite: 4_000 });
    const read = await make({ cached: 4_000 });
    expect(Number(written.held)).toBeGreaterThan(Number(plain.held) * 1.1);
    expect(plain).toMatchObject({ cache_saved: '0' });
    // 4,000 tokens at 18,750 and at 7,500 instead of 15,000 micro-toman.
    expect(written).toMatchObject({ cache_saved: '-15' });
    expect(read).toMatchObject({ cache_saved: '30' });
  });
});
