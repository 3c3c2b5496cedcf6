/** Responses over WebSocket: the official library and messages like Codex's, against the running gateway. */
import { connect } from 'node:net';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { openSocket, type SpokenSocket } from './spoken-socket.ts';

let gateway: TestGateway;
const open: SpokenSocket[] = [];

beforeAll(async () => {
  const keys = [
    { id: 'main', key: 'dg-test-main', rules: { default_model: 'mock/chat' } },
    { id: 'paused', key: 'dg-test-paused', rules: { paused: true } },
    { id: 'slow', key: 'dg-test-slow', rules: { rpm: 1 } },
  ];
  const accounts = [
    { id: 'acme', name: 'Acme', balance: 100_000, keys },
    { id: 'poor', name: 'Poor', balance: 0, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
  ];
  const settings = { discovery: false, max_event_loop_lag_ms: 600_000, max_sockets_per_key: 6, max_body_bytes: 65_536 };
  gateway = await startGateway({ config: { accounts, settings } });
});
afterAll(async () => {
  await gateway.stop();
});
beforeEach(async () => {
  gateway.vendor.reset();
  for (const { socket, closed } of open.splice(0)) {
    socket.close();
    await closed;
  }
});

async function connected(key = gateway.key, headers: Record<string, string> = {}): Promise<SpokenSocket> {
  const socket = await openSocket(`${gateway.baseUrl}/responses`, { key, headers });
  open.push(socket);
  return socket;
}

function sent(index: number): JsonObject {
  return gateway.vendor.requests[index]?.body ?? {};
}

function idIn(event: JsonObject): string {
  return String((event['response'] as JsonObject)['id']);
}

async function receiptOf(responseId: string, key = gateway.key): Promise<JsonObject> {
  return eventually(async () => {
    const reply = await gateway.fetch(`/api/v1/requests/req_${responseId.slice('resp_'.length)}`, { key });
    const receipt = (await reply.json()) as JsonObject;
    expect(receipt['state']).not.toBe('running');
    expect(reply.status).toBe(200);
    return receipt;
  });
}

const model = 'mock/chat';
const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

describe('the official library', () => {
  it('has two turns of one conversation on one connection, each charged once', async () => {
    gateway.vendor.always(answer({ text: 'سلام', usage: { input: 10, output: 5 } }));
    const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key });
    const socket = new ResponsesWS(client);
    const ends: { id: string; output_text?: string }[] = [];
    const wait = (count: number) => vi.waitFor(() => expect(ends).toHaveLength(count), { timeout: 10_000 });
    socket.on('response.completed', ({ response }) => void ends.push(response));
    socket.on('error', (error) => {
      throw error;
    });
    socket.send({ type: 'response.create', model, input: 'first', store: false } as never);
    await wait(1);
    const previous = ends[0]?.id ?? '';
    socket.send({
      type: 'response.create',
      model,
      input: 'second',
      store: false,
      previous_response_id: previous,
    } as never);
    await wait(2);
    socket.close();
    const texts = (sent(1)['messages'] as JsonObject[]).map(({ content }) => content);
    expect(texts).toEqual(['first', 'سلام', 'second']);
    expect(sent(1)).not.toHaveProperty('previous_response_id');
    for (const { id } of ends)
      expect(await receiptOf(id)).toMatchObject({
        endpoint: 'responses',
        state: 'completed',
        stream: true,
        cost: '0.45',
      });
  });
});

describe("an agent's messages", () => {
  it('send tools and instructions ahead for nothing, then only what is new', async () => {
    gateway.vendor.next(answer({ toolCalls: [{ id: 'call_1', name: 'shell', arguments: '{"cmd":"ls"}' }] }));
    gateway.vendor.next(answer({ text: 'done' }));
    const socket = await connected(gateway.key, { 'openai-beta': 'responses_websockets=2026-02-06' });
    const tools = [{ type: 'function', name: 'shell', parameters: { type: 'object', properties: {} }, strict: false }];
    const common = { type: 'response.create', model, tools, store: false, stream: true, prompt_cache_key: 'k' };
    const developer = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be brief' }] };
    const ahead = await socket.turn({ ...common, generate: false, input: [developer] });
    expect(ahead).toMatchObject({ type: 'response.completed', response: { status: 'completed', output: [] } });
    expect(gateway.vendor.requests).toHaveLength(0);
    const first = await socket.turn({ ...common, previous_response_id: idIn(ahead), input: [user('list')] });
    expect(first).toMatchObject({ type: 'response.completed' });
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'a.txt' };
    const second = await socket.turn({ ...common, previous_response_id: idIn(first), input: [output] });
    expect(second).toMatchObject({ response: { status: 'completed', store: false } });
    expect((sent(1)['messages'] as JsonObject[]).map(({ role }) => role)).toEqual([
      'developer',
      'user',
      'assistant',
      'tool',
    ]);
    expect((await gateway.fetch(`/api/v1/requests/req_${idIn(ahead).slice(5)}`)).status).toBe(404);
  });

  it('are told which answer before is unknown, by the word at which they send everything again', async () => {
    const socket = await connected();
    const refused = await socket.turn({
      type: 'response.create',
      model,
      input: 'x',
      previous_response_id: 'resp_gone',
    });
    expect(refused).toMatchObject({
      type: 'error',
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
    expect((await socket.turn({ type: 'response.create', model, input: 'x' }))['type']).toBe('response.completed');
  });

  it('are answered one after the other, each in its lane', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(gate, { text: 'one' }));
    gateway.vendor.next(answer({ text: 'two' }));
    const socket = await connected();
    socket.send({ type: 'response.create', model, input: 'a', stream_id: 'left' });
    socket.send({ type: 'response.create', model, input: 'b', stream_id: 'right' });
    await gate.reached;
    expect(gateway.vendor.requests).toHaveLength(1);
    gate.open();
    await socket.until(({ type, stream_id }) => type === 'response.completed' && stream_id === 'right');
    const lanes = socket.events.map(({ stream_id }) => stream_id);
    expect(lanes).toEqual(lanes.toSorted());
    expect(new Set(lanes)).toEqual(new Set(['left', 'right']));
  });
});

describe('what is refused', () => {
  it.each([
    ['an empty wallet', 'dg-test-poor', 'insufficient_quota', 'insufficient_balance'],
    ['a paused key', 'dg-test-paused', 'invalid_prompt', 'key_paused'],
  ])('for good stops an agent at once: %s', async (_what, key, code, svcCode) => {
    const socket = await connected(key);
    const refused = await socket.turn({ type: 'response.create', model, input: 'x' });
    expect(refused).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code, svc_code: svcCode } },
    });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('for a while says when to come back', async () => {
    const socket = await connected('dg-test-slow');
    await socket.turn({ type: 'response.create', model, input: 'x' });
    const refused = await socket.turn({ type: 'response.create', model, input: 'x' });
    expect(refused).toMatchObject({ type: 'error', status: 429, error: { code: 'rate_limited' } });
    expect(refused['headers']).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) });
  });

  it.each([
    [{ type: 'response.steer' }, 'type'],
    [{ type: 'response.create', model, input: 'x', background: true }, 'background'],
    [{ type: 'response.create', model, input: 'x', svc: { dry_run: true } }, 'svc.dry_run'],
    [{ type: 'response.create', model, input: 'x', stream_id: 7 }, 'stream_id'],
    [{ type: 'response.create', model, input: [{ type: 'nonsense' }] }, 'input.0'],
  ])('by its field: %j', async (message, param) => {
    const socket = await connected();
    expect(await socket.turn(message)).toMatchObject({ type: 'error', status: 400, error: { param } });
  });

  it('is every caller without a key, whatever cookies a page sends along', async () => {
    const cookies = { cookie: 'dargah_session=anything', origin: 'https://evil.example' };
    await expect(connected('dg-wrong')).rejects.toThrow('refused with 401');
    await expect(openSocket(`${gateway.baseUrl}/responses`, { headers: cookies })).rejects.toThrow('refused with 401');
  });

  it('is a message that is no text, or larger than a body may be', async () => {
    const binary = await connected();
    binary.socket.send(Buffer.from('{}'));
    expect(await binary.closed).toMatchObject({ code: 1003 });
    const large = await connected();
    large.send({ type: 'response.create', model, input: 'x'.repeat(70_000) });
    expect(await large.closed).toMatchObject({ code: 1009 });
  });

  it('is a connection beyond what the key may have', async () => {
    for (let count = 0; count < 6; count++) await connected();
    await expect(connected()).rejects.toThrow('refused with 429');
    await connected('dg-test-poor');
  });
});

describe('money', () => {
  it('is charged for what a client that leaves in the middle has got, and nothing stays held', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(4, gate, { text: 'one two three four five six', pieces: 6 }));
    const socket = await connected();
    socket.send({ type: 'response.create', model, input: 'x' });
    const begun = await socket.until(({ type }) => type === 'response.created');
    await socket.until(({ type }) => type === 'response.output_text.delta');
    socket.socket.terminate();
    const receipt = await receiptOf(idIn(begun));
    gate.open();
    expect(receipt).toMatchObject({ state: 'client_closed' });
    expect(Number(receipt['cost'])).toBeGreaterThan(0);
    await eventually(async () => {
      const { wallet } = (await (await gateway.fetch('/api/v1/key')).json()) as { wallet: JsonObject };
      expect(wallet['held']).toBe('0');
    });
  });

  it('is not charged for an answer whose provider fails before its first word', async () => {
    gateway.vendor.always(faults.failWith(500));
    const socket = await connected();
    const failed = await socket.turn({ type: 'response.create', model, input: 'x' });
    expect(failed).toMatchObject({ type: 'error', status: 502, error: { code: 'upstream_error' } });
  });
});

/** The first lines of what the gateway answers to these bytes. */
function answerTo(text: string): Promise<string> {
  const { port } = new URL(gateway.origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('other offers to upgrade', () => {
  it('are passed over: the request is answered as without them', async () => {
    gateway.vendor.next(answer({ text: 'plain' }));
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });
    const lines = [
      'POST /api/v1/chat/completions HTTP/1.1',
      'Host: x',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      `Authorization: Bearer ${gateway.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const reply = await answerTo(`${lines.join('\r\n')}\r\n\r\n${body}`);
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
    const elsewhere = ['GET /api/v1/models HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket'];
    expect(await answerTo(`${elsewhere.join('\r\n')}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
    expect((await gateway.fetch('/api/v1/responses')).status).toBe(404);
  });
});

describe('the end of the process', () => {
  it('lets an answer be finished and closes with the word for going away', async () => {
    const gate = createGate();
    const own = await startGateway({ vendor: gateway.vendor });
    gateway.vendor.next(faults.stallBeforeHeaders(gate, { text: 'last words' }));
    const idle = await openSocket(`${own.baseUrl}/responses`, { key: own.key });
    const busy = await openSocket(`${own.baseUrl}/responses`, { key: own.key });
    busy.send({ type: 'response.create', model, input: 'x' });
    await gate.reached;
    const stopping = own.stop();
    expect(await idle.closed).toMatchObject({ code: 1001 });
    gate.open();
    await busy.until(({ type }) => type === 'response.completed');
    expect(await busy.closed).toMatchObject({ code: 1001 });
    await stopping;
  });
});
