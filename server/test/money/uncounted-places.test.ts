/** Whatever a request hands on to a provider is held for, wherever in the body its text stands. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';

/** About 24,000 tokens: 360 toman, and the wallet has 60. */
const LONG = 'lorem ipsum dolor '.repeat(6_000);
const KEY = 'dg-test-poor';
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x05\0\0\0\x03\x20\x08\x06\0', 'latin1').toString('base64');
const HI = { role: 'user', content: 'hi' };
const BYE = { role: 'user', content: 'bye' };

const chat = (more: object, messages: object[] = [HI]) => ({
  path: '/api/v1/chat/completions',
  body: { model: 'mock/chat', max_tokens: 1, messages, ...more },
});
const claude = (more: object, messages: object[] = [HI]) => ({
  path: '/api/v1/messages',
  body: { model: 'mock/claude', max_tokens: 1, messages, ...more },
});
const responses = (input: object[], more: object = {}) => ({
  path: '/api/v1/responses',
  body: { model: 'mock/responses', max_output_tokens: 1, input: [...input, HI], ...more },
});
const embeddings = (more: object) => ({
  path: '/api/v1/embeddings',
  body: { model: 'mock/embed', input: Array.from({ length: 20 }, () => 'a'), ...more },
});
/** A turn of the assistant that holds this block. */
const turn = (...blocks: object[]) => [HI, { role: 'assistant', content: blocks }, BYE];

describe('what a request hands on', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    const { accounts, models } = defaultConfig(vendor) as { accounts: object[]; models: { price: object }[] };
    const poor = { id: 'poor', balance: 60, keys: [{ id: 'poor', key: KEY, rules: {} }] };
    const price = { ...models[0]?.price, audio_input: 240_000, audio_output: 480_000 };
    const speaking = { ...models[0], id: 'mock/speaking', price };
    gateway = await startGateway({
      vendor,
      config: { accounts: [...accounts, poor], models: [...models, speaking] },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.vendor.close();
  });
  beforeEach(() => {
    gateway.vendor.reset();
    // Whatever was held, little is paid, so that the wallet stays as it is.
    gateway.vendor.always(answer({ text: 'yes', usage: { input: 5, output: 1 } }));
  });

  const send = ({ path, body }: { path: string; body: object }, key = KEY) =>
    gateway.fetch(path, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it.each([
    ['field of a message', chat({}, [{ ...HI, reading: LONG }])],
    ['field of a function', chat({ tools: [{ type: 'function', function: { name: 'f', examples: LONG } }] })],
    [
      'grammar of a free tool',
      chat({ tools: [{ type: 'custom', custom: { name: 'f', format: { type: 'grammar', definition: LONG } } }] }),
    ],
    [
      'description of a schema',
      chat({
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'x', description: LONG, schema: { type: 'object' } },
        },
      }),
    ],
    ['prediction', chat({ prediction: { type: 'content', content: LONG } })],
    ['documents', chat({ documents: [{ text: LONG }] })],
    ['documents under long names', chat({ documents: [{ [LONG]: 1 }] })],
    ['documents in many small pieces', chat({ documents: LONG.split(' ') })],
    // By their length alone these would be a tenth of what they are.
    [
      'documents in small pieces of a rare script',
      chat({ documents: Array.from({ length: 100 }, () => 'ᚠᛇᚻ᛫'.repeat(16)) }),
    ],
    ['settings of a template', chat({ chat_template_kwargs: { note: LONG } })],
    ['context of a document', claude({}, [documentWith({ context: LONG })])],
    ['compacted conversation', claude({}, turn({ type: 'compaction', content: LONG }))],
    ['result of a server tool', claude({}, turn(serverTool(), { ...found(), content: [{ encrypted_content: LONG }] }))],
    ['input of a server tool', claude({}, turn({ ...serverTool(), input: { query: LONG } }, found()))],
    ['block of an unknown type', claude({}, [{ role: 'user', content: [{ type: 'weird', text: LONG }] }])],
    [
      'many small blocks of an unknown type',
      claude({}, [{ role: 'user', content: words().map((text) => ({ type: 'weird', text })) }]),
    ],
    ['examples of a tool', claude({ tools: [{ ...claudeTool(), input_examples: [{ a: LONG }] }] })],
    ['settings of a hosted tool', claude({ tools: [{ type: 'bash_20250124', name: 'bash', note: LONG }] })],
    [
      'a tool that is withdrawn again',
      claude({ tools: [{ ...claudeTool(), description: LONG }] }, [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'tool_removal', tool: { type: 'tool_reference', name: 'f' } },
          ],
        },
      ]),
    ],
    ['tools that a search found', responses([{ type: 'tool_search_output', tools: [{ ...tool(), note: LONG }] }])],
    ['compacted input', responses([{ type: 'compaction', encrypted_content: LONG }])],
    ['output of a shell', responses([{ type: 'shell_call_output', call_id: 'c', output: [{ stdout: LONG }] }])],
    ['a patch', responses([{ type: 'apply_patch_call', call_id: 'c', operation: { diff: LONG } }])],
    ['item of an unknown type', responses([{ type: 'weird', text: LONG }])],
    ['a screen by address', responses([screenshot('https://example.com/screen.png')])],
    ['a file by address', responses([{ type: 'weird', file_url: 'https://example.com/a.pdf' }])],
    ['a document by address', claude({}, [{ role: 'user', content: [{ type: 'weird', source: byAddress() }] }])],
    ['a small file of many pages', claude({}, [{ role: 'user', content: [{ type: 'document', source: smallPdf() }] }])],
    ['grammar of a custom tool', responses([], { tools: [{ type: 'custom', name: 'f', format: { text: LONG } }] })],
    ['instruction before every text', embeddings({ query_instruction: LONG })],
    ['title of every text', embeddings({ title: LONG })],
  ])('is held for: %s', async (_place, request) => {
    const response = await send(request);
    expect(response.status, await response.clone().text()).toBe(402);
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('a picture that only says it is small is held for as any picture', async () => {
    const image_url = { url: 'https://example.com/a.png', detail: 'low' };
    const content = Array.from({ length: 20 }, () => ({ type: 'image_url', image_url }));
    expect((await send(chat({ model: 'mock/claude' }, [{ role: 'user', content }]))).status).toBe(402);
  });

  /** Each of them costs 30 to 50 toman as plain text, and the wallet has 60. */
  it.each([
    ['what a cache keeps for an hour', claude({}, [marked({ ttl: '1h' })]), claude({}, [marked(undefined)])],
    [
      'what a cache keeps as a whole',
      claude({ cache_control: { type: 'ephemeral', ttl: '1h' } }, [marked(undefined)]),
      claude({}, [marked(undefined)]),
    ],
    ['sound', chat({ model: 'mock/speaking' }, [sound(400_000)]), chat({ model: 'mock/speaking' }, [sound(60_000)])],
    [
      'an answer that is predicted',
      chat({ prediction: { type: 'content', content: 'the '.repeat(1_500) } }),
      chat({ documents: ['the '.repeat(1_500)] }),
    ],
    [
      'a spoken answer',
      chat({ model: 'mock/speaking', modalities: ['text', 'audio'], audio: { voice: 'a' }, max_tokens: 500 }),
      chat({ model: 'mock/speaking', max_tokens: 500 }),
    ],
  ])('is held for at its own price: %s', async (_what, expensive, plain) => {
    expect((await send(expensive)).status).toBe(402);
    const response = await send(plain);
    expect(response.status, await response.clone().text()).toBe(200);
  });

  it.each([
    ['a picture of a screen', responses([screenshot()])],
    ['ids and states', responses(Array.from({ length: 40 }, spoken))],
    ['metadata', responses([], { metadata: { note: 'x'.repeat(500) } })],
    ['settings', chat({ store: false, seed: 1, chat_template_kwargs: { enable_thinking: false } })],
  ])('no more is held than a provider reads: %s', async (_what, request) => {
    const response = await send(request);
    expect(response.status, await response.clone().text()).toBe(200);
  });
});

function documentWith(more: object): object {
  const source = { type: 'text', media_type: 'text/plain', data: 'x' };
  return { role: 'user', content: [{ type: 'document', source, ...more }] };
}

function marked(kept: object | undefined): object {
  const text = 'the '.repeat(2_400);
  return {
    role: 'user',
    content: [{ type: 'text', text, ...(kept && { cache_control: { type: 'ephemeral', ...kept } }) }],
  };
}

/** 8,000 bytes are a second. */
function sound(characters: number): object {
  const wav = Buffer.alloc((characters * 3) / 4);
  wav.write('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data', 'latin1');
  return {
    role: 'user',
    content: [{ type: 'input_audio', input_audio: { data: wav.toString('base64'), format: 'wav' } }],
  };
}

function byAddress(): object {
  return { type: 'url', url: 'https://example.com/a.pdf' };
}

function smallPdf(): object {
  return { type: 'base64', media_type: 'application/pdf', data: Buffer.from('%PDF-1.7').toString('base64') };
}

function serverTool() {
  return { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'a' } };
}

function found() {
  return { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
}

function tool() {
  return { type: 'function', name: 'f', parameters: { type: 'object' } };
}

function claudeTool() {
  return { name: 'f', input_schema: { type: 'object' } };
}

function words(): string[] {
  return LONG.slice(0, 60_000).split('r ');
}

/** 1,280 × 800: about 1,400 tokens. */
function screenshot(image_url = `data:image/png;base64,${PNG}${'A'.repeat(400_000)}`): object {
  return { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url } };
}

function spoken(_: unknown, index: number): object {
  const content = [{ type: 'output_text', text: 'yes', annotations: [] }];
  return { type: 'message', role: 'assistant', id: `msg_${'0'.repeat(40)}${index}`, status: 'completed', content };
}
