/**
 * Texts and documents made to be held for less than they are. The provider counts them exactly; wallet and caps must have been
 * asked for at least nine tenths of that, however many come at once.
 */
import { countTokens as exactTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, createGate, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { onePageManyTimes, packedTree, pdf, sharedStream, zip } from '../gateway/document-files.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { keyView } from './fixed-price.ts';
import { receiptOf } from './receipts.ts';

/** One toman for a token. */
const PRICE = { input: 1_000_000, output: 1_000_000 };
const RARE = Array.from({ length: 64 }, (_, at) => String.fromCodePoint(0x13a0 + at)).join('');

/** Blanks, and rare letters where windows at fixed strides once did not look. */
function seams(length = 70_000): string {
  const windows = 128;
  const stride = length / windows;
  const letters = Array.from({ length }, () => ' ');
  for (let seam = 0; seam < windows; seam++)
    for (let at = 0; at < 64; at++)
      letters[(Math.floor(seam * stride) - 32 + at + length) % length] = RARE[at] as string;
  return letters.join('');
}

const SEAMS = seams();
const SEAM_TOKENS = exactTokens(SEAMS);
const PAGES = 200;
const PAGE_TOKENS = PAGES * 2_000;

const account = (id: string, balance: number, rules: object = {}) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-${id}-key`, rules }],
});

describe('what is made to look small', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const vendor = await startFakeVendor();
    const defaults = defaultConfig(vendor) as { models: { id: string }[] };
    const models = defaults.models.map((model) => ({ ...model, price: PRICE, context: 2_000_000 }));
    gateway = await startGateway({
      vendor,
      config: {
        ...defaults,
        models: [
          ...models.filter(({ id }) => !/embed|tts|stt/.test(id)),
          { ...models[0], id: 'mock/small', context: 32_000 },
        ],
        accounts: [
          account('thin', 15_000),
          account('forty', 40_000),
          account('rich', 100_000_000),
          account('left', 100_000_000),
          account('capped', 100_000_000, { caps: { daily: 100_000 } }),
          account('papers', 100_000_000, { caps: { daily: 200_000 } }),
        ],
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await gateway?.vendor.close();
  });
  beforeEach(() => gateway.vendor.reset());

  const post = (path: string, key: string, body: object, signal?: AbortSignal) =>
    gateway.fetch(path, {
      method: 'POST',
      key: `dg-${key}-key`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const chat = (key: string, body: object, signal?: AbortSignal) =>
    post('/api/v1/chat/completions', key, { model: 'mock/chat', max_tokens: 1, ...body }, signal);
  const claude = (key: string, body: object) =>
    post('/api/v1/messages', key, { model: 'mock/claude', max_tokens: 1, messages: [HI], ...body });
  const bills = (input: number) => gateway.vendor.always(answer({ text: 'yes', usage: { input, output: 1 } }));
  const spentOf = async (key: string) => {
    const { caps } = await keyView(gateway.origin, `dg-${key}-key`);
    return Number(caps[0]?.spent) + Number(caps[0]?.held);
  };

  const HI = { role: 'user', content: 'hi' };
  const small = (count: number, text: string) => Array.from({ length: count }, () => ({ type: 'text', text }));
  const asked = { role: 'user', content: SEAMS };
  const TEXTS: [string, () => Promise<Response>][] = [
    ['a message', () => chat('thin', { messages: [asked] })],
    ['a system prompt', () => chat('thin', { messages: [{ ...asked, role: 'system' }, HI] })],
    ['a developer message', () => chat('thin', { messages: [{ ...asked, role: 'developer' }, HI] })],
    ['the result of a tool', () => claude('thin', { messages: [HI, ...toolTurns(SEAMS)] })],
    ['a system prompt in blocks', () => claude('thin', { system: [{ type: 'text', text: SEAMS }] })],
    [
      'the description of a tool',
      () => claude('thin', { tools: [{ name: 'f', description: SEAMS, input_schema: {} }] }),
    ],
    [
      'the schema of a tool',
      () => {
        const parameters = { type: 'object', properties: { a: { type: 'string', description: SEAMS } } };
        return chat('thin', { messages: [HI], tools: [{ type: 'function', function: { name: 'f', parameters } }] });
      },
    ],
    [
      'instructions',
      () =>
        post('/api/v1/responses', 'thin', {
          model: 'mock/responses',
          max_output_tokens: 16,
          input: 'hi',
          instructions: SEAMS,
        }),
    ],
    ['a field that is not understood', () => chat('thin', { messages: [{ ...HI, reading: SEAMS }] })],
    [
      'small texts behind four megabytes of blanks',
      () =>
        chat('thin', {
          messages: [{ role: 'user', content: [...small(66, ' '.repeat(65_000)), ...small(130, RARE)] }],
        }),
    ],
  ];

  it.each(TEXTS)('a thin wallet does not read rare letters for the price of blanks: %s', async (_where, send) => {
    bills(SEAM_TOKENS);
    expect(SEAM_TOKENS).toBeGreaterThan(24_000);
    const response = await send();
    expect(response.status, await response.clone().text()).toBe(402);
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('eight at once pass a cap by no more than a tenth', async () => {
    bills(SEAM_TOKENS);
    const all = await Promise.all(Array.from({ length: 8 }, () => chat('capped', { messages: [asked] })));
    const answered = all.filter(({ status }) => status === 200);
    expect(answered.length).toBeGreaterThan(0);
    for (const response of answered) {
      const { held } = await receiptOf(gateway, response, 'dg-capped-key');
      expect(Number(held)).toBeGreaterThanOrEqual(0.9 * SEAM_TOKENS);
    }
    expect(await spentOf('capped')).toBeLessThanOrEqual(110_000);
  });

  it('whoever leaves pays for what the provider read', async () => {
    const gate = createGate();
    gateway.vendor.next(
      faults.stallAfter(2, gate, { text: 'one two', usage: { input: SEAM_TOKENS, output: 2 }, pieces: 1 }),
    );
    const leaving = new AbortController();
    const before = Number((await keyView(gateway.origin, 'dg-left-key')).wallet.balance);
    const body = { messages: [asked], stream: true, max_tokens: undefined, model: 'mock/plain' };
    const response = await chat('left', body, leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
    const { cost } = await receiptOf(gateway, response, 'dg-left-key');
    gate.open();
    expect(before).toBeGreaterThan(0);
    expect(Number(cost)).toBeGreaterThanOrEqual(0.8 * SEAM_TOKENS);
    expect(Number(cost)).toBeLessThanOrEqual(1.5 * SEAM_TOKENS);
  });

  it('a very long text is held for by a sample where the wallet could pay any of it, and counted where it could not', async () => {
    const text = seams(700_000).replaceAll(' ', ' \t');
    const exact = exactTokens(text.slice(0, 50_000)) * (text.length / 50_000);
    bills(Math.floor(exact));
    const response = await chat('rich', { messages: [{ role: 'user', content: text }] });
    const { held } = await receiptOf(gateway, response, 'dg-rich-key');
    expect(Number(held)).toBeGreaterThanOrEqual(0.9 * exact);
    expect((await chat('forty', { messages: [{ role: 'user', content: text }] })).status).toBe(402);
  });

  it('a prompt that no model takes is refused without being counted', async () => {
    const words = 'the quick brown fox '.repeat(60_000);
    const response = await chat('rich', { model: 'mock/small', messages: [{ role: 'user', content: words }] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_request', message: expect.stringContaining('prompt is too long') },
    });
    expect(gateway.vendor.requests).toHaveLength(0);
    // Where a provider was told to leave out what does not fit, it decides.
    bills(30_000);
    const cut = { model: 'mock/small', messages: [{ role: 'user', content: words }], transforms: ['middle-out'] };
    expect((await chat('rich', cut)).status).toBe(200);
  });

  const document = (bytes: Buffer, media_type = 'application/pdf') => ({
    messages: [
      {
        role: 'user',
        content: [{ type: 'document', source: { type: 'base64', media_type, data: bytes.toString('base64') } }],
      },
    ],
  });
  const file = (bytes: Buffer, type = 'application/pdf') => {
    const file_data = `data:${type};base64,${bytes.toString('base64')}`;
    return { messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data } }] }] };
  };
  const item = (bytes: Buffer) => ({
    model: 'mock/responses',
    max_output_tokens: 16,
    input: [
      {
        role: 'user',
        content: [
          {
            type: 'input_file',
            filename: 'a.pdf',
            file_data: `data:application/pdf;base64,${bytes.toString('base64')}`,
          },
        ],
      },
    ],
  });
  const encrypted = pdf({ objects: { 1: '<< /Pages 2 0 R >>' }, trailer: '/Encrypt 3 0 R' });

  it.each<[string, () => Promise<Response>]>([
    ['200 pages that share one stream', () => claude('forty', document(sharedStream(PAGES)))],
    ['the same in the chat protocol', () => chat('forty', file(sharedStream(PAGES)))],
    ['the same as an item', () => post('/api/v1/responses', 'forty', item(sharedStream(PAGES)))],
    ['as a file of another type', () => chat('forty', file(sharedStream(PAGES), 'application/octet-stream'))],
    ['a number of pages in a packed stream', () => claude('forty', document(packedTree(PAGES)))],
    ['many pages that declare one', () => claude('forty', document(sharedStream(PAGES, 'Hello', 1)))],
    ['one page named many times', () => claude('forty', document(onePageManyTimes(20, 10)))],
    ['an encrypted one', () => claude('forty', document(encrypted))],
    [
      'a packed bomb',
      () => chat('forty', file(zip({ 'word/document.xml': Buffer.alloc(40_000_000, 'a') }, 10), 'application/vnd.x')),
    ],
    ['one by address', () => claude('forty', { messages: [{ role: 'user', content: [byAddress()] }] })],
    [
      'one in a block that is not understood',
      () =>
        claude('forty', {
          messages: [{ role: 'user', content: [{ type: 'weird', deep: document(sharedStream(PAGES)) }] }],
        }),
    ],
  ])('a wallet of 40,000 does not read a document of 400,000: %s', async (_what, send) => {
    bills(PAGE_TOKENS);
    const response = await send();
    expect(response.status, await response.clone().text()).toBe(402);
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('nine documents at once do not pass a cap', async () => {
    bills(PAGE_TOKENS / 4);
    const all = await Promise.all(Array.from({ length: 9 }, () => claude('papers', document(sharedStream(PAGES / 4)))));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await spentOf('papers')).toBeLessThanOrEqual(200_000);
    const large = await Promise.all(Array.from({ length: 9 }, () => claude('papers', document(sharedStream(PAGES)))));
    expect(large.every(({ status }) => status === 402)).toBe(true);
  });

  it('a letter of one page costs a small wallet no more than a page', async () => {
    bills(1_900);
    const response = await claude('thin', document(sharedStream(1, 'Dear Sir, '.repeat(60))));
    expect(response.status, await response.clone().text()).toBe(200);
  });
});

function toolTurns(content: string): object[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
  ];
}

function byAddress(): object {
  return { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } };
}
