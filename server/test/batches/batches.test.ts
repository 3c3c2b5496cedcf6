/** Files and batches with OpenAI's and Anthropic's own clients: every line asked and charged once, at the batch's price. */
import { setTimeout as pause } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';

const one = [{ provider: 'chat-a', model: 'up' }];
const MODELS = [
  { id: 'mock/chat', routes: one, price: { input: 1_000_000, output: 3_000_000 } },
  { id: 'mock/other', routes: one, price: { input: 1_000_000, output: 3_000_000 } },
  {
    id: 'mock/claude',
    routes: [{ provider: 'messages-a', model: 'up' }],
    price: { input: 1_000_000, output: 1_000_000 },
  },
  { id: 'mock/embed', kind: 'embedding', routes: one, price: { input: 1_000_000 } },
];
let gateway: TestGateway;
let client: OpenAI;
let claude: Anthropic;
const clientOf = (key: string) => new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, maxRetries: 0 });

beforeAll(async () => {
  gateway = await startGateway({
    config: {
      settings: {
        discovery: false,
        files_per_account: 40,
        batches_per_account: 4,
        batch_max_lines: 20,
        batch_parallel: 4,
      },
      models: MODELS,
      groups: [],
      accounts: [
        {
          id: 'acme',
          balance: 1_000_000,
          keys: [
            { id: 'main', key: 'dg-test-main' },
            { id: 'narrow', key: 'dg-test-narrow', rules: { models: ['mock/chat'], ips: ['127.0.0.1', '::1'] } },
            { id: 'embedder', key: 'dg-test-embedder', rules: { endpoints: ['files', 'batches', 'embeddings'] } },
          ],
        },
        { id: 'poor', balance: 100, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
        { id: 'other', balance: 100, keys: [{ id: 'other', key: 'dg-test-other' }] },
      ],
    },
  });
  client = clientOf(gateway.key);
  claude = new Anthropic({ baseURL: `${gateway.origin}/api`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

type Line = Record<string, unknown>;
const chat = (id: string, body: Line = {}, more: Line = {}): Line => ({
  custom_id: id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'mock/chat', messages: [{ role: 'user', content: `line ${id}` }], max_tokens: 5, ...body },
  ...more,
});

async function upload(lines: readonly Line[] | string | Buffer, by = client) {
  const content = Array.isArray(lines) ? lines.map((line) => JSON.stringify(line)).join('\n') : lines;
  const file = await toFile(Buffer.from(content as string), 'lines.jsonl');
  return by.files.create({ file, purpose: 'batch' });
}

async function make(lines: readonly Line[] | string | Buffer, by = client) {
  const { id } = await upload(lines, by);
  return by.batches.create({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' });
}

const ENDED = new Set(['completed', 'failed', 'expired', 'cancelled']);
async function ended(id: string, by = client) {
  for (;;) {
    const batch = await by.batches.retrieve(id);
    if (ENDED.has(batch.status)) return batch;
    await pause(30);
  }
}

interface OutputLine {
  id: string;
  custom_id: string;
  response: { status_code: number; request_id: string; body: { usage?: { cost: string }; error?: { code: string } } };
  error: { code: string } | null;
}

async function linesOf(fileId: string | null | undefined, by = client): Promise<OutputLine[]> {
  const text = await (await by.files.content(fileId ?? '')).text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as OutputLine);
}

async function receipt(id: string, key = gateway.key) {
  for (;;) {
    const response = await gateway.fetch(`/api/v1/requests/${id}`, { key });
    const body = (await response.json()) as { state: string; cost: string; batch: string; price_percent: number };
    if (response.status === 200 && body.state !== 'running') return body;
    await pause(30);
  }
}

describe('files, with the client of OpenAI', () => {
  it('are uploaded, listed, read and deleted', async () => {
    const made = await upload('{"a":"گلستان"}\n');
    expect(made).toMatchObject({
      object: 'file',
      purpose: 'batch',
      filename: 'lines.jsonl',
      bytes: 21,
      status: 'processed',
    });
    expect((await client.files.retrieve(made.id)).expires_at).toBe(made.created_at + 30 * 86_400);
    expect((await client.files.list()).data.map(({ id }) => id)).toContain(made.id);
    expect(await (await client.files.content(made.id)).text()).toBe('{"a":"گلستان"}\n');
    expect(await client.files.delete(made.id)).toEqual({ id: made.id, object: 'file', deleted: true });
    await expect(client.files.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  });

  it('keep every byte over many chunks, and pages go on where they ended', async () => {
    const bytes = Buffer.alloc(1_300_000, 'x0123456789\n');
    const made = await upload(bytes);
    const back = Buffer.from(await (await client.files.content(made.id)).arrayBuffer());
    expect(back.equals(bytes)).toBe(true);
    const second = await upload('{}');
    const page = await client.files.list({ limit: 1 });
    expect(page.data.map(({ id }) => id)).toEqual([second.id]);
    expect((await page.getNextPage()).data.map(({ id }) => id)).toEqual([made.id]);
    await client.files.delete(made.id);
    await client.files.delete(second.id);
  });

  it('of another account are not there', async () => {
    const made = await upload('{}');
    const other = clientOf('dg-test-other');
    for (const ask of [
      () => other.files.retrieve(made.id),
      () => other.files.content(made.id),
      () => other.files.delete(made.id),
      () => other.batches.create({ input_file_id: made.id, endpoint: '/v1/responses', completion_window: '24h' }),
    ])
      await expect(ask()).rejects.toMatchObject({
        status: expect.toSatisfy((status) => status === 404 || status === 400),
      });
    await client.files.delete(made.id);
  });

  it.each([
    [{ purpose: 'vision' }, 'purpose'],
    [{ purpose: 'batch', 'expires_after[seconds]': '60' }, 'expires_after.seconds'],
    [{ purpose: 'batch', color: 'red' }, 'color'],
  ])('refuse %j by its field', async (fields, param) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, String(value));
    body.set('file', new Blob(['{}']), 'a.jsonl');
    const response = await gateway.fetch('/api/v1/files', { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });
});

describe('a batch of OpenAI', () => {
  it('answers every line, with a receipt for each and the sum on the batch', async () => {
    const lines = [...Array.from({ length: 6 }, (_, at) => chat(`a${at}`)), chat('bad', { model: 'mock/none' })];
    const made = await make(lines);
    expect(made).toMatchObject({ object: 'batch', status: 'validating', completion_window: '24h' });
    const batch = await ended(made.id);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 7, completed: 6, failed: 1 },
      metadata: null,
    });
    const output = await linesOf(batch.output_file_id);
    expect(output.map(({ custom_id: id }) => id)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
    expect(new Set(output.map(({ response }) => response.request_id)).size).toBe(6);
    const receipts = await Promise.all(output.map(({ response }) => receipt(response.request_id)));
    for (const one of receipts) expect(one).toMatchObject({ state: 'completed', batch: made.id, price_percent: 100 });
    const sum = receipts.reduce((total, { cost }) => total + Number(cost), 0);
    expect(sum).toBeGreaterThan(0);
    expect((batch as unknown as { svc: object }).svc).toEqual({ cost: String(sum), price_percent: 100 });
    expect(await linesOf(batch.error_file_id)).toMatchObject([
      { custom_id: 'bad', response: { status_code: 404, body: { error: { code: 'model_not_found' } } }, error: null },
    ]);
    expect((await client.batches.list()).data.map(({ id }) => id)).toContain(made.id);
    expect((await client.files.list({ purpose: 'batch_output' })).data.map(({ id }) => id)).toContain(
      batch.output_file_id,
    );
  });

  it('costs the percentage that was promised when it was made', async () => {
    const price = (percent: number) => gateway.admin('PATCH', '/api/admin/settings', { batch_price_percent: percent });
    expect((await price(50)).status).toBe(200);
    const half = await ended((await make([chat('half')])).id);
    await price(100);
    const whole = await ended((await make([chat('half')])).id);
    const costs = [half, whole].map((batch) => (batch as unknown as { svc: { cost: string } }).svc.cost);
    expect(Number(costs[0]) * 2).toBe(Number(costs[1]));
    const [line] = await linesOf(half.output_file_id);
    expect(await receipt(line?.response.request_id ?? '')).toMatchObject({ cost: costs[0], price_percent: 50 });
  });

  it('with a faulty line fails before anything is asked', async () => {
    const asked = gateway.vendor.requests.length;
    const batch = await ended((await make([chat('a'), chat('b'), chat('a'), chat('c', {}, { url: '/v1/x' })])).id);
    const data = [
      { code: 'duplicate_custom_id', line: 3, param: 'custom_id' },
      { code: 'invalid_url', line: 4, param: 'url' },
    ];
    expect(batch).toMatchObject({ status: 'failed', errors: { object: 'list', data } });
    const empty = await ended((await make('\n'.repeat(100_000))).id);
    expect(empty).toMatchObject({ status: 'failed', errors: { data: [{ code: 'empty_file' }] } });
    const many = await ended((await make(Array.from({ length: 21 }, (_, at) => chat(`m${at}`)))).id);
    expect(many).toMatchObject({ status: 'failed', errors: { data: [{ code: 'too_many_tasks', line: 21 }] } });
    expect(gateway.vendor.requests).toHaveLength(asked);
  });

  it('asks with the rules of its key, and forgets where the key called from', async () => {
    const narrow = clientOf('dg-test-narrow');
    const batch = await ended((await make([chat('a'), chat('b', { model: 'mock/other' })], narrow)).id, narrow);
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
    expect(await linesOf(batch.error_file_id)).toMatchObject([
      { custom_id: 'b', response: { status_code: 403, body: { error: { code: 'model_not_allowed' } } } },
    ]);
    const embedder = clientOf('dg-test-embedder');
    await expect(make([chat('a')], embedder)).rejects.toMatchObject({ status: 403, code: 'endpoint_not_allowed' });
  });

  it('ends with an error for each line that the wallet cannot pay', async () => {
    const poor = clientOf('dg-test-poor');
    const lines = Array.from({ length: 8 }, (_, at) => chat(`p${at}`));
    const batch = await ended((await make(lines, poor)).id, poor);
    const { total, completed = 0, failed = 0 } = batch.request_counts ?? {};
    expect([total, completed + failed]).toEqual([8, 8]);
    expect(completed).toBeGreaterThan(0);
    expect(failed).toBeGreaterThan(0);
    const errors = await linesOf(batch.error_file_id, poor);
    for (const { response } of errors) expect(response.body.error?.code).toBe('insufficient_balance');
    expect(await receipt(errors[0]?.response.request_id ?? '', 'dg-test-poor')).toMatchObject({ state: 'refused' });
  });

  it('asks a line again that nobody answered', async () => {
    gateway.vendor.next(faults.failWith(500), faults.failWith(500));
    const batch = await ended((await make([chat('again')])).id);
    expect(batch.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
  });

  it('is cancelled: what has not begun costs nothing', async () => {
    const gate = createGate();
    gateway.vendor.next(async (wire) => {
      await gate.pass();
      await answer()(wire);
    });
    const lines = Array.from({ length: 20 }, (_, at) => chat(`c${at}`));
    const made = await make(lines);
    await gate.reached;
    expect(await client.batches.cancel(made.id)).toMatchObject({ status: 'cancelling' });
    gate.open();
    const batch = await ended(made.id);
    expect(batch.status).toBe('cancelled');
    expect(batch.request_counts?.completed).toBeLessThan(20);
    const output = await linesOf(batch.output_file_id);
    const errors = await linesOf(batch.error_file_id);
    expect(output.length + errors.length).toBe(20);
    for (const line of errors) expect(line).toMatchObject({ response: null, error: { code: 'batch_cancelled' } });
    await expect(client.batches.cancel(made.id)).resolves.toMatchObject({ status: 'cancelled' });
  });

  it('of another account is not there', async () => {
    const made = await make([chat('mine')]);
    const other = clientOf('dg-test-other');
    await expect(other.batches.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(other.batches.cancel(made.id)).rejects.toMatchObject({ status: 404 });
    expect((await other.batches.list()).data).toEqual([]);
    await ended(made.id);
  });
});

describe('a batch of Anthropic', () => {
  const params = { model: 'mock/claude', max_tokens: 5, messages: [{ role: 'user' as const, content: 'hi' }] };

  async function whole(id: string) {
    for (;;) {
      const batch = await claude.messages.batches.retrieve(id);
      if (batch.processing_status === 'ended') return batch;
      await pause(30);
    }
  }

  it('is made, read, listed and deleted by its client, with results at our own address', async () => {
    const requests = [
      { custom_id: 'one', params },
      { custom_id: 'two', params: { ...params, model: 'mock/none' } },
    ];
    const made = await claude.messages.batches.create({ requests });
    expect(made).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null });
    const batch = await whole(made.id);
    expect(batch.request_counts).toEqual({ processing: 0, succeeded: 1, errored: 1, canceled: 0, expired: 0 });
    expect(batch.results_url).toMatch(new RegExp(`^http://localhost:\\d+/api/v1/messages/batches/${made.id}/results$`));
    const results = [];
    for await (const line of await claude.messages.batches.results(made.id)) results.push(line);
    expect(results).toMatchObject([
      { custom_id: 'one', result: { type: 'succeeded', message: { type: 'message', role: 'assistant' } } },
      { custom_id: 'two', result: { type: 'errored', error: { type: 'error', error: { type: 'not_found_error' } } } },
    ]);
    expect((await claude.messages.batches.list()).data.map(({ id }) => id)).toEqual([made.id]);
    expect((await claude.messages.batches.cancel(made.id)).processing_status).toBe('ended');
    expect(await claude.messages.batches.delete(made.id)).toEqual({ id: made.id, type: 'message_batch_deleted' });
    await expect(claude.messages.batches.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    ['{"messages":[]}', 'requests'],
    ['{"requests":[{"custom_id":"a","params":{}},{"custom_id":"a","params":{}}]}', 'requests.1.custom_id'],
    ['{"requests":[{"custom_id":"a","params":{"stream":true}}]}', 'requests.0.params.stream'],
  ])('refuses %s by its field', async (body, param) => {
    const headers = { 'content-type': 'application/json' };
    const response = await gateway.fetch('/api/v1/messages/batches', { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain(param);
  });
});

it('the books are proved', async () => {
  expect(await wholeProof(gateway.admin)).toMatchObject({ ok: true });
});
