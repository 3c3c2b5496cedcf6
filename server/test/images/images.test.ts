/** Pictures with OpenAI's own client: drawn, changed, streamed, by the piece and by tokens, and what each ending costs. */
import { inflateSync } from 'node:zlib';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receipt, receiptOf, settledReceipt } from '../audio/audio-gateway.ts';
import { expectError } from '../errors/expect-error.ts';
import { type Behaviour, faults, json, rawStream, startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';

const two = [
  { provider: 'chat-a', model: 'gpt-image-a', priority: 1 },
  { provider: 'chat-b', model: 'gpt-image-b', priority: 2 },
];
/** Five toman a picture; or a toman a token of text, two of a picture seen, three of one drawn. */
const MODELS = [
  { id: 'mock/piece', kind: 'image', routes: two, price: { images: 5_000_000 } },
  {
    id: 'mock/tokens',
    kind: 'image',
    routes: two,
    price: { input: 1_000_000, image_input: 2_000_000, image_output: 3_000_000 },
  },
  {
    id: 'mock/grok',
    kind: 'image',
    routes: [{ provider: 'chat-a', model: 'grok', quirks: { image_style: 'xai' } }],
    price: { images: 1_000_000 },
  },
  {
    id: 'mock/compatible',
    kind: 'image',
    routes: [{ provider: 'chat-a', model: 'flux' }],
    price: { images: 1_000_000 },
  },
  {
    id: 'mock/grid',
    kind: 'image',
    routes: [{ provider: 'chat-a', model: 'flux' }],
    price: {
      images: 7_000_000,
      image_grid: [
        { size: '1024x1024', quality: 'low', price: 1_000_000 },
        { size: '1024x1024', quality: 'high', price: 4_000_000 },
        { size: '1536x1024', price: 6_000_000 },
      ],
    },
  },
  {
    id: 'mock/grok-grid',
    kind: 'image',
    routes: [{ provider: 'chat-a', model: 'grok', quirks: { image_style: 'xai' } }],
    price: {
      images: 2_000_000,
      image_grid: [
        { quality: 'low', price: 1_000_000 },
        { quality: 'high', price: 3_000_000 },
      ],
    },
  },
  {
    id: 'mock/gemini',
    kind: 'image',
    routes: [{ provider: 'gemini-a', model: 'flash-image' }],
    price: { input: 1_000_000, output: 1_000_000, image_output: 3_000_000 },
  },
];
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64');
const USAGE = { input_tokens: 30, input_tokens_details: { text_tokens: 10, image_tokens: 20 }, output_tokens: 100 };
const drawn = (count = 1, more: object = {}) =>
  json(200, { created: 1, data: Array.from({ length: count }, () => ({ b64_json: 'QUJD' })), ...more });
/** The bytes of a picture, as its address gives them. */
const picture = (): Behaviour => async (wire) => {
  wire.head(200, { 'content-type': 'image/png', 'content-length': String(PNG.length) });
  await wire.write(PNG);
  wire.end();
};
const frame = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: 'QUJD', ...more })}\n\n`;

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  const vendor = await startFakeVendor();
  gateway = await startGateway({
    vendor,
    config: {
      settings: { discovery: false, fetch_allowed_hosts: [new URL(vendor.origin).host] },
      models: MODELS,
      groups: [],
      accounts: [
        { id: 'acme', balance: 1_000_000, keys: [{ id: 'main', key: 'dg-test-main' }] },
        { id: 'poor', balance: 4, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
      ],
    },
  });
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(async () => {
  await gateway.stop();
  await gateway.vendor.close();
});

function draw(fields: object = {}, more: { key?: string; signal?: AbortSignal } = {}) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'mock/piece', prompt: 'a mountain', ...fields });
  return gateway.fetch('/api/v1/images/generations', { method: 'POST', headers, body, ...more });
}

async function paid(response: Response): Promise<Receipt> {
  expect(response.status).toBe(200);
  await response.text();
  return receiptOf(gateway, response);
}

describe('an answer', () => {
  it('is base64, for the client of OpenAI', async () => {
    gateway.vendor.next(drawn(2, { size: '1024x1024', usage: USAGE }));
    const answer = await client.images.generate({ model: 'mock/piece', prompt: 'a mountain', n: 2, size: '1024x1024' });
    expect(answer.data?.map(({ b64_json }) => b64_json)).toEqual(['QUJD', 'QUJD']);
    expect(gateway.vendor.requests.at(-1)).toMatchObject({
      path: '/v1/images/generations',
      body: { model: 'gpt-image-a', prompt: 'a mountain', n: 2, size: '1024x1024' },
    });
    expect(gateway.vendor.requests.at(-1)?.body).not.toHaveProperty('response_format');
  });

  it('is asked for as each vendor wants it', async () => {
    gateway.vendor.next(drawn(), drawn());
    await paid(await draw({ model: 'mock/grok', size: '1536x1024', quality: 'high' }));
    expect(gateway.vendor.requests.at(-1)?.body).toEqual({
      model: 'grok',
      prompt: 'a mountain',
      aspect_ratio: '3:2',
      response_format: 'b64_json',
    });
    await paid(await draw({ model: 'mock/compatible' }));
    expect(gateway.vendor.requests.at(-1)?.body).toMatchObject({ response_format: 'b64_json' });
  });

  it('of Gemini is as many calls as pictures, and only what was drawn costs as drawn', async () => {
    const parts = [{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }];
    const candidatesTokensDetails = [{ modality: 'IMAGE', tokenCount: 40 }];
    const usageMetadata = {
      promptTokenCount: 5,
      candidatesTokenCount: 42,
      totalTokenCount: 47,
      candidatesTokensDetails,
    };
    const one = json(200, { candidates: [{ content: { parts }, finishReason: 'STOP' }], usageMetadata });
    gateway.vendor.next(one, one);
    const response = await draw({ model: 'mock/gemini', n: 2, size: '1024x1536' });
    expect((await response.clone().json()) as object).toMatchObject({
      data: [{ b64_json: 'QUJD' }, { b64_json: 'QUJD' }],
    });
    expect(await paid(response)).toMatchObject({
      cost: String(2 * (5 + 2 + 3 * 40)),
      usage: { buckets: { input_fresh: 10, output: 4, image_output: 80 } },
    });
    expect(gateway.vendor.requests.at(-1)?.body).toMatchObject({
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '2:3' } },
    });
  });

  it('of the simulator is a picture that decodes, and the same for the same words', async () => {
    const ask = async (prompt: string) =>
      (await client.images.generate({ model: 'sandbox/image', prompt, size: '256x256' })).data?.[0]?.b64_json ?? '';
    const [first, second, other] = [await ask('Damavand'), await ask('Damavand'), await ask('Alvand')];
    expect(first).toBe(second);
    expect(first).not.toBe(other);
    const png = Buffer.from(first, 'base64');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([256, 256]);
    const at = png.indexOf('IDAT');
    expect(inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4))).length).toBe(257 * 256);
  });
});

describe('an edit', () => {
  it('of files goes on as files: one, several, a mask', async () => {
    gateway.vendor.next(drawn(), drawn());
    const file = () => toFile(PNG, 'تصویر.png', { type: 'image/png' });
    await client.images.edit({ model: 'mock/piece', prompt: 'green', image: await file(), mask: await file() });
    const formOf = async (at: number) => {
      const sent = gateway.vendor.requests.at(at);
      const headers = { 'content-type': String(sent?.headers['content-type']) };
      return new Response(new Uint8Array(sent?.raw ?? []), { headers }).formData();
    };
    const form = await formOf(-1);
    expect([...form.keys()]).toEqual(['model', 'prompt', 'image', 'mask']);
    expect(Buffer.from(await (form.get('image') as File).arrayBuffer())).toEqual(PNG);
    await client.images.edit({ model: 'mock/piece', prompt: 'green', image: [await file(), await file()], n: 1 });
    expect((await formOf(-1)).getAll('image[]')).toHaveLength(2);
  });

  it('of addresses goes on as JSON, and of nothing is refused', async () => {
    gateway.vendor.next(drawn());
    const images = [{ image_url: 'https://example.com/a.png' }];
    const edit = (fields: object) =>
      gateway.fetch('/api/v1/images/edits', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mock/piece', prompt: 'green', ...fields }),
      });
    expect(await paid(await edit({ images }))).toMatchObject({ endpoint: 'images.edits', cost: '5' });
    expect(gateway.vendor.requests.at(-1)?.body).toMatchObject({ images });
    await expectError(await edit({}), 'invalid_request', { param: 'image' });
    await expectError(await edit({ images: [{ image_url: 'file:///etc/passwd' }] }), 'invalid_request', {
      param: 'images.0',
    });
    const form = new FormData();
    form.append('prompt', 'x');
    form.append('photo', new File([PNG], 'a.png'));
    const sent = await gateway.fetch('/api/v1/images/edits', { method: 'POST', body: form });
    await expectError(sent, 'invalid_request', { param: 'photo' });
  });
});

describe('its money', () => {
  it('is by the piece, or by tokens of which those of the picture cost more', async () => {
    gateway.vendor.next(drawn(2, { usage: USAGE }), drawn(1, { usage: USAGE }));
    expect(await paid(await draw({ n: 2 }))).toMatchObject({
      cost: '10',
      held: '10',
      usage: { buckets: { images: 2 } },
    });
    expect(await paid(await draw({ model: 'mock/tokens' }))).toMatchObject({
      cost: String(10 + 2 * 20 + 3 * 100),
      usage_source: 'upstream',
      usage: { buckets: { input_fresh: 10, image_input: 20, image_output: 100 } },
    });
  });

  it('is our estimate where tokens are not counted, within what was held', async () => {
    gateway.vendor.next(drawn());
    const receipt = await paid(await draw({ model: 'mock/tokens', quality: 'low', size: '1024x1024' }));
    expect(receipt).toMatchObject({ usage_source: 'estimated', usage: { buckets: { image_output: 272 } } });
    expect(Number(receipt.cost)).toBeLessThanOrEqual(Number(receipt.held));
  });

  it('is of the pictures that came, from the route that gave them', async () => {
    gateway.vendor.next(json(200, { data: [{ url: 'https://vendor.example/x.png' }] }), drawn(1));
    const receipt = await paid(await draw({ n: 2 }));
    expect(receipt).toMatchObject({ cost: '5', held: '10' });
    expect(receipt.attempts).toHaveLength(2);
  });

  it('is nothing when nobody draws, when the prompt is refused, or when nobody could pay', async () => {
    gateway.vendor.next(faults.failWith(500), faults.failWith(500));
    await expectError(await draw(), 'upstream_error');
    const refused = { error: { message: 'blocked', type: 'image_generation_user_error', code: 'moderation_blocked' } };
    gateway.vendor.next(json(400, refused));
    const blocked = await draw();
    expect([blocked.status, (await receiptOf(gateway, blocked)).cost]).toEqual([400, '0']);
    await expectError(await draw({}, { key: 'dg-test-poor' }), 'insufficient_balance');
  });
});

describe('a price by size and quality', () => {
  it.each([
    ['what was asked for', { size: '1024x1024', quality: 'low' }, {}, '1', '1'],
    ['what the provider says it drew', { size: '1024x1024', quality: 'low' }, { quality: 'high' }, '1', '4'],
    ['the dearest that may come where nothing is said', { size: 'auto' }, {}, '6', '6'],
    ['what came of what was left open', {}, { size: '1024x1024', quality: 'low' }, '6', '1'],
    ['the price of all others', { size: '512x512', quality: 'low' }, {}, '7', '7'],
  ])('is that of %s', async (_name, asked, facts, held, cost) => {
    gateway.vendor.next(drawn(1, facts));
    expect(await paid(await draw({ model: 'mock/grid', ...asked }))).toMatchObject({ held, cost });
  });

  it('believes no word that the vendor was not sent', async () => {
    gateway.vendor.next(drawn());
    const receipt = await paid(await draw({ model: 'mock/grok-grid', quality: 'low' }));
    expect(receipt).toMatchObject({ held: '3', cost: '3' });
  });

  it('stands on the page of the model and in the list', async () => {
    const page = await (await gateway.fetch('/en/models/mock/grid')).text();
    expect(page).toContain('Image 1024x1024 · high');
    const { data } = (await (await gateway.fetch('/api/v1/models')).json()) as {
      data: { id: string; pricing: object }[];
    };
    const { pricing } = data.find(({ id }) => id === 'mock/grid') ?? {};
    expect(pricing).toMatchObject({ image_grid: [{ size: '1024x1024', quality: 'low', price: 1_000_000 }, {}, {}] });
  });
});

describe('a picture by address', () => {
  const urlOf = async (fields: object = {}): Promise<string> => {
    const answer = (await (await draw({ response_format: 'url', ...fields })).json()) as {
      data: Record<string, string>[];
    };
    expect(answer.data[0]).not.toHaveProperty('b64_json');
    return new URL(answer.data[0]?.['url'] ?? '').pathname;
  };
  const get = (path: string) => fetch(`${gateway.origin}${path}`);

  it('is ours, needs no key, cannot be guessed and is run by no browser', async () => {
    const png = PNG.toString('base64');
    gateway.vendor.next(
      json(200, { created: 1, data: [{ b64_json: png }] }),
      json(200, { created: 1, data: [{ b64_json: png }] }),
    );
    const [path, other] = [await urlOf(), await urlOf()];
    expect(path).toMatch(/^\/pictures\/[\w-]{43}$/);
    expect(path).not.toBe(other);
    const picture = await get(path);
    expect(Buffer.from(await picture.arrayBuffer()).equals(PNG)).toBe(true);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect((await get(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
    const page = Buffer.from('<html><script>alert(1)</script>').toString('base64');
    gateway.vendor.next(json(200, { created: 1, data: [{ b64_json: page }] }));
    expect((await get(await urlOf())).headers.get('content-type')).toContain('application/octet-stream');
  });

  it('of the vendor is fetched by us and never passed on', async () => {
    const theirs = `${gateway.vendor.origin}/drawn.png`;
    gateway.vendor.next(json(200, { created: 1, data: [{ url: theirs }] }), picture());
    const path = await urlOf({ model: 'mock/grok' });
    expect(Buffer.from(await (await get(path)).arrayBuffer()).equals(PNG)).toBe(true);
    gateway.vendor.next(json(200, { created: 1, data: [{ url: theirs }] }), picture());
    const text = await (await draw({ model: 'mock/grok' })).text();
    expect(text).toContain(PNG.toString('base64'));
    expect(text).not.toContain(gateway.vendor.origin);
  });

  it('inside a network is not fetched, and the request is free', async () => {
    gateway.vendor.next(json(200, { created: 1, data: [{ url: 'http://169.254.169.254/latest/meta-data' }] }));
    const refused = await draw({ model: 'mock/grok' });
    expect([refused.status, (await receiptOf(gateway, refused)).cost]).toEqual([502, '0']);
  });
});

describe('a stream', () => {
  it('has unfinished pictures, then the last with its cost', async () => {
    gateway.vendor.next(
      rawStream([
        frame('image_generation.partial_image', { partial_image_index: 0 }),
        frame('image_generation.completed', { usage: USAGE }),
      ]),
    );
    const stream = await client.images.generate({
      model: 'mock/tokens',
      prompt: 'a mountain',
      stream: true,
      partial_images: 1,
    });
    const events: { type: string; usage?: object }[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(['image_generation.partial_image', 'image_generation.completed']);
    expect(events.at(-1)?.usage).toMatchObject({ output_tokens: 100, cost: 350 });
    expect(gateway.vendor.requests.at(-1)?.body).toMatchObject({ stream: true, partial_images: 1 });
  });

  it('of one event is charged, and of the simulator is whole', async () => {
    gateway.vendor.next(rawStream([frame('image_generation.completed')]));
    expect(await paid(await draw({ stream: true }))).toMatchObject({ state: 'completed', cost: '5' });
    const text = await (await draw({ model: 'sandbox/image', stream: true, partial_images: 2, size: '64x64' })).text();
    expect(text.match(/partial_image_index/g)).toHaveLength(2);
    expect(text).toContain('"cost":50');
  });

  it('of a vendor that knows none is one event', async () => {
    gateway.vendor.next(drawn());
    const text = await (await draw({ model: 'mock/grok', stream: true })).text();
    expect(text).toContain('image_generation.completed');
  });

  it('that breaks off before anything is free; after a part its picture is charged', async () => {
    gateway.vendor.next(
      rawStream(['event: error\ndata: {"error":{"message":"no","code":"server_error"}}\n\n']),
      faults.failWith(500),
    );
    await expectError(await draw({ stream: true }), 'upstream_error');
    gateway.vendor.next(rawStream([frame('image_generation.partial_image', { partial_image_index: 0 })]));
    const cut = await draw({ stream: true, partial_images: 1 });
    expect(await cut.text()).toContain('"error"');
    const receipt = await settledReceipt(gateway, cut.headers.get('x-svc-request-id') ?? '');
    expect(receipt).toMatchObject({ state: 'interrupted', cost: '5' });
  });

  it('balances in the books with all the others', async () => {
    expect(await wholeProof((method, path) => gateway.admin(method, path))).toMatchObject({ ok: true });
  });
});

it.each([
  [{ prompt: '' }, 'prompt'],
  [{ prompt: undefined }, 'prompt'],
  [{ n: 11 }, 'n'],
  [{ n: 2, stream: true }, 'n'],
  [{ size: 'large' }, 'size'],
  [{ size: '1024x1024x1' }, 'size'],
  [{ response_format: 'link' }, 'response_format'],
  [{ response_format: 'url', stream: true }, 'response_format'],
  [{ partial_images: 4 }, 'partial_images'],
  [{ stream: 'yes' }, 'stream'],
])('%j is refused by its field', async (fields, param) => {
  await expectError(await draw(fields), 'invalid_request', { param });
});

it('the page of a model shows what a picture costs, in both languages', async () => {
  expect(await (await gateway.fetch('/models/mock/piece')).text()).toContain('هر تصویر');
  const page = await (await gateway.fetch('/en/models/mock/piece')).text();
  expect(page).toContain('per image');
  expect(page).toContain('/api/v1/images/generations');
});
