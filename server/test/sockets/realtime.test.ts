/** Realtime sessions: the official library, a provider that does as the test says, and the money of every ending. */
import { connect } from 'node:net';
import { createServer as createTlsServer, type Server } from 'node:tls';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../platform/upstream/test-certificate.ts';
import { eventually } from '../services/eventually.ts';
import { answering, type FakeRealtime, type FakeSession, startFakeRealtime, USAGE } from './fake-realtime.ts';
import { type OpenOptions, openSocket, type SpokenSocket } from './spoken-socket.ts';

let gateway: TestGateway;
let provider: FakeRealtime;
const clock = new MovedClock();
const open: SpokenSocket[] = [];

/** Toman per token: easy to add up. */
const price = {
  input: 1_000_000,
  output: 4_000_000,
  cache_read: 100_000,
  audio_input: 8_000_000,
  audio_output: 16_000_000,
  audio_cache_read: 200_000,
};
/** Of USAGE: 10·1 + 10·0.1 + 60·8 + 40·0.2 + 20·4 + 80·16. */
const COST = '1859';

beforeAll(async () => {
  provider = await startFakeRealtime();
  const rules = { models: ['mock/realtime', 'mock/chat', 'sandbox/realtime'] };
  const accounts = [
    { id: 'acme', name: 'Acme', balance: 1_000_000, keys: [{ id: 'main', key: 'dg-test-main', rules }] },
  ];
  const vendor = await startFakeVendor();
  const fake = { id: 'rt', protocol: 'openai-chat', base_url: provider.baseUrl, api_key: 'up-secret' };
  const chat = { id: 'chat-a', protocol: 'openai-chat', base_url: vendor.baseUrls['openai-chat'], api_key: 'up' };
  const models = [
    { id: 'mock/realtime', kind: 'realtime', routes: [{ provider: 'rt', model: 'up-rt' }], price, context: 32_000 },
    { id: 'mock/chat', routes: [{ provider: 'chat-a', model: 'm' }], price: { input: 1, output: 1 } },
  ];
  const settings = { discovery: false, max_event_loop_lag_ms: 600_000 };
  const config = { accounts, settings, sandbox: true, providers: [fake, chat], models, groups: [] };
  gateway = await startGateway({ config, vendor, clock });
});
afterAll(async () => {
  await gateway.stop();
  await gateway.vendor.close();
  await provider.close();
});
beforeEach(async () => {
  provider.on = answering();
  provider.refusing = undefined;
  provider.sessions.length = 0;
  for (const { socket, closed } of open.splice(0)) {
    socket.close();
    await closed;
  }
});

async function session(options: OpenOptions = {}, query = 'model=mock%2Frealtime'): Promise<SpokenSocket> {
  const key = options.protocols ? {} : { key: gateway.key };
  const socket = await openSocket(`${gateway.baseUrl}/realtime?${query}`, { ...key, ...options });
  open.push(socket);
  return socket;
}

const isType = (type: string) => (event: JsonObject) => event['type'] === type;

/** The provider's side of the session that was opened last. */
async function begun(socket: SpokenSocket): Promise<FakeSession> {
  await socket.until(isType('session.created'));
  const last = provider.sessions.at(-1);
  if (!last) throw new Error('the provider was not asked');
  return last;
}

function requestIdIn(event: JsonObject): string {
  return String((event['svc'] as JsonObject)['request_id']);
}

const receiptOf = (id: string, key = gateway.key) =>
  eventually(async () => {
    const reply = await gateway.fetch(`/api/v1/requests/${id}`, { key });
    const receipt = (await reply.json()) as JsonObject;
    expect(reply.status).toBe(200);
    expect(receipt['state']).not.toBe('running');
    return receipt;
  });

async function wallet(key = gateway.key): Promise<{ balance: string; held: string }> {
  return ((await (await gateway.fetch('/api/v1/key', { key })).json()) as { wallet: { balance: string; held: string } })
    .wallet;
}

/** Once all charges are posted: until then they count as held. */
const settledWallet = () =>
  eventually(async () => {
    const found = await wallet();
    expect(found.held).toBe('0');
    return found;
  });

describe('the official library', () => {
  let front: Server;
  afterAll(() => new Promise((done) => front.close(done)));

  it('talks to the simulator and hears text and sound', async () => {
    const port = Number(new URL(gateway.origin).port);
    // The library speaks wss alone.
    front = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (secure) => {
      const plain = connect(port, '127.0.0.1');
      secure.pipe(plain).pipe(secure);
      plain.on('error', () => secure.destroy());
      secure.on('error', () => plain.destroy());
    });
    await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
    const { port: securePort } = front.address() as { port: number };
    const client = new OpenAI({ apiKey: gateway.key, baseURL: `https://127.0.0.1:${securePort}/api/v1` });
    const socket = new OpenAIRealtimeWS({ model: 'sandbox/realtime', options: { rejectUnauthorized: false } }, client);
    const faults: unknown[] = [];
    let sound = 0;
    let transcript = '';
    socket.on('error', (error) => void faults.push(error));
    socket.on('response.output_audio.delta', ({ delta }) => {
      sound += Buffer.from(delta, 'base64').length;
    });
    socket.on('response.output_audio_transcript.delta', ({ delta }) => {
      transcript += delta;
    });
    const done = new Promise<unknown>((resolve) => socket.on('response.done', ({ response }) => resolve(response)));
    socket.on('session.created', ({ session: created }) => {
      expect(created).toMatchObject({ model: 'sandbox/realtime' });
      const content = [{ type: 'input_text' as const, text: 'good morning' }];
      socket.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
      socket.send({ type: 'response.create' });
    });
    expect(await done).toMatchObject({ status: 'completed', usage: { cost: expect.any(Number) } });
    socket.close();
    expect(faults).toEqual([]);
    expect(transcript).toBe('Sandbox simulator heard: good morning');
    expect(sound).toBe(48_000);
  });
});

describe('a response', () => {
  it('is a request of its own, charged by kind of token, with its cost and its receipt', async () => {
    const socket = await session();
    const { url, headers } = await begun(socket);
    expect(url).toBe('/v1/realtime?model=up-rt');
    expect(headers).toMatchObject({ authorization: 'Bearer up-secret' });
    expect(socket.events[0]).toMatchObject({ session: { model: 'mock/realtime' } });
    const before = await settledWallet();
    const done = await socket.turn({ type: 'response.create' });
    expect(done).toMatchObject({ type: 'response.done', response: { usage: { ...USAGE, cost: 1859 } } });
    expect(await receiptOf(requestIdIn(done))).toMatchObject({
      endpoint: 'realtime',
      model: 'mock/realtime',
      state: 'completed',
      cost: COST,
      usage_source: 'upstream',
    });
    await eventually(async () => {
      const { balance, held } = await wallet();
      expect(held).toBe('0');
      expect(Number(before.balance) - Number(balance)).toBe(1859);
    });
    expect(socket.events.filter(isType('rate_limits.updated'))).toEqual([]);
  });

  it('that the provider gives by itself is held for before its sound is sent, and charged', async () => {
    const socket = await session();
    const { say, received } = await begun(socket);
    await settledWallet();
    socket.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(9_600).toString('base64') });
    await eventually(async () => {
      expect(Number((await wallet()).held)).toBeGreaterThan(0);
      expect(received.map(({ type }) => type)).toEqual(['input_audio_buffer.append']);
    });
    say({ type: 'response.created', response: { id: 'resp_own', status: 'in_progress' } });
    say({ type: 'response.done', response: { id: 'resp_own', status: 'completed', output: [{}], usage: USAGE } });
    const done = await socket.until(isType('response.done'));
    expect(await receiptOf(requestIdIn(done))).toMatchObject({ state: 'completed', cost: COST });
  });

  it('without a report is charged by our own count', async () => {
    provider.on = answering(null);
    const socket = await session();
    await begun(socket);
    const receipt = await receiptOf(requestIdIn(await socket.turn({ type: 'response.create' })));
    expect(receipt).toMatchObject({ state: 'completed', usage_source: 'estimated' });
    // Two tokens for a tenth of a second of sound.
    expect(receipt['usage']).toMatchObject({ buckets: { audio_output: 2 } });
  });

  it('that the client cancels before a word costs what the provider read', async () => {
    provider.on = (event, { say }) => {
      if (event['type'] === 'response.create') say({ type: 'response.created', response: { id: 'resp_c' } });
      if (event['type'] !== 'response.cancel') return;
      const usage = { input_tokens: 40, output_tokens: 0, input_token_details: { text_tokens: 40 } };
      say({ type: 'response.done', response: { id: 'resp_c', status: 'cancelled', output: [], usage } });
    };
    const socket = await session();
    await begun(socket);
    socket.send({ type: 'response.create' });
    await socket.until(isType('response.created'));
    const done = await socket.turn({ type: 'response.cancel' });
    expect(await receiptOf(requestIdIn(done))).toMatchObject({ state: 'client_closed', cost: '40' });
  });

  it('that the provider refuses to begin holds nothing, and its words are not passed on', async () => {
    provider.on = (event, { say }) => {
      const error = {
        type: 'invalid_request_error',
        code: 'busy',
        message: 'words of up-rt',
        event_id: event['event_id'],
      };
      say({ type: 'error', event_id: 'e', error });
    };
    const socket = await session();
    await begun(socket);
    const refused = await socket.turn({ type: 'response.create', event_id: 'mine' });
    expect(refused).toMatchObject({ error: { code: 'busy', event_id: 'mine' } });
    expect(JSON.stringify(refused)).not.toContain('up-rt');
    await eventually(async () => expect((await wallet()).held).toBe('0'));
  });
});

describe('a session that breaks', () => {
  const halfway = (event: JsonObject, { say }: FakeSession) => {
    if (event['type'] !== 'response.create') return;
    say({ type: 'response.created', response: { id: 'resp_h' } });
    say({ type: 'response.output_text.delta', response_id: 'resp_h', delta: 'one two three' });
  };

  it('at the provider is charged for what was delivered, and says so', async () => {
    provider.on = halfway;
    const socket = await session();
    const { socket: theirs } = await begun(socket);
    socket.send({ type: 'response.create' });
    const created = await socket.until(isType('response.created'));
    await socket.until(isType('response.output_text.delta'));
    theirs.terminate();
    expect(await socket.until(isType('error'))).toMatchObject({ error: { code: 'upstream_error' } });
    expect(await socket.closed).toMatchObject({ code: 1011 });
    const receipt = await receiptOf(requestIdIn(created));
    expect(receipt).toMatchObject({ state: 'interrupted', usage_source: 'estimated' });
    expect(Number(receipt['cost'])).toBeGreaterThan(0);
  });

  it('at the client stops the provider and is charged by its report', async () => {
    provider.on = (event, theirs) => {
      halfway(event, theirs);
      if (event['type'] === 'response.cancel')
        theirs.say({
          type: 'response.done',
          response: { id: 'resp_h', status: 'cancelled', output: [], usage: USAGE },
        });
    };
    const socket = await session();
    const { closed } = await begun(socket);
    socket.send({ type: 'response.create' });
    const created = await socket.until(isType('response.created'));
    await socket.until(isType('response.output_text.delta'));
    socket.socket.terminate();
    expect(await receiptOf(requestIdIn(created))).toMatchObject({ state: 'client_closed', cost: COST });
    await closed;
  });

  it('before any response costs nothing and leaves nothing held', async () => {
    const before = await settledWallet();
    const socket = await session();
    const { closed } = await begun(socket);
    socket.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(9_600).toString('base64') });
    await eventually(async () => expect((await wallet()).held).not.toBe('0'));
    socket.socket.close();
    await closed;
    await eventually(async () => expect(await wallet()).toMatchObject({ held: '0', balance: before.balance }));
  });

  it('because no provider lets us in says so', async () => {
    provider.refusing = 401;
    const socket = await session();
    expect(await socket.until(isType('error'))).toMatchObject({ error: { code: 'upstream_error' } });
    expect(await socket.closed).toMatchObject({ code: 1011 });
  });
});

describe('what is refused', () => {
  it.each([
    [{ type: 'transcription_session.update' }, 'type'],
    [{ type: 'session.update', session: { model: 'mock/chat' } }, 'session.model'],
    [{ type: 'session.update', session: { type: 'transcription' } }, 'session.type'],
    [{ type: 'session.update', session: { prompt: { id: 'pmpt_1' } } }, 'session.prompt'],
    [{ type: 'session.update', session: { tools: [{ type: 'mcp' }] } }, 'session.tools.0.type'],
    [{ type: 'response.create', response: { tools: [{ type: 'mcp' }] } }, 'response.tools.0.type'],
    [
      { type: 'session.update', session: { audio: { input: { transcription: { model: 'whisper-1' } } } } },
      'session.audio.input.transcription',
    ],
    [
      { type: 'session.update', session: { audio: { input: { turn_detection: { idle_timeout_ms: 6_000 } } } } },
      'session.audio.input.turn_detection.idle_timeout_ms',
    ],
    [
      { type: 'session.update', session: { turn_detection: { type: 'server_vad', idle_timeout_ms: 6_000 } } },
      'session.turn_detection.idle_timeout_ms',
    ],
    [
      { type: 'session.update', session: { input_audio_transcription: { model: 'whisper-1' } } },
      'session.input_audio_transcription',
    ],
  ])('by its field, and the provider hears nothing: %j', async (event, param) => {
    const socket = await session();
    const { received } = await begun(socket);
    expect(await socket.turn(event)).toMatchObject({ error: { code: 'invalid_request', param } });
    expect(received).toEqual([]);
  });

  it.each([
    ['model=mock%2Fchat', {}, 'model'],
    ['model=mock%2Frealtime&intent=transcription', {}, 'intent'],
    ['model=mock%2Frealtime', { 'openai-beta': 'realtime=v1' }, 'OpenAI-Beta'],
  ])('when it is opened: %s %j', async (query, headers, param) => {
    const socket = await session({ headers }, query);
    expect(await socket.until(isType('error'))).toMatchObject({ error: { param } });
    expect(await socket.closed).toMatchObject({ code: 1008 });
    expect(provider.sessions).toEqual([]);
  });

  it('is a plain request at its address', async () => {
    const reply = await gateway.fetch('/api/v1/realtime');
    expect(reply.status).toBe(426);
  });
});

describe('a client secret', () => {
  const make = async (body: object = {}) => {
    const settings = { type: 'realtime', model: 'mock/realtime', instructions: 'be kind' };
    const reply = await gateway.fetch('/api/v1/realtime/client_secrets', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session: settings, ...body }),
    });
    return { status: reply.status, made: (await reply.json()) as { value: string; expires_at: number } & JsonObject };
  };
  const inBrowser = (secret: string) => ({ protocols: ['realtime', `openai-insecure-api-key.${secret}`] });

  it('opens sessions of its model with its settings, in the name of its key', async () => {
    const { status, made } = await make();
    expect(status).toBe(200);
    expect(made).toMatchObject({ value: expect.stringMatching(/^ek_/), session: { instructions: 'be kind' } });
    const socket = await session(inBrowser(made.value), '');
    expect(socket.socket.protocol).toBe('realtime');
    const { received } = await begun(socket);
    const done = await socket.turn({ type: 'response.create' });
    expect(received[0]).toMatchObject({ type: 'session.update', session: { instructions: 'be kind' } });
    expect(received[0]).not.toHaveProperty('session.model');
    expect(await receiptOf(requestIdIn(done))).toMatchObject({ cost: COST });
    expect(JSON.stringify(gateway.log)).not.toContain(made.value);
  });

  it('opens nothing else, and nothing once it has expired', async () => {
    const { made } = await make({ expires_after: { anchor: 'created_at', seconds: 10 } });
    const { value: key } = made;
    const chat = await gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: 'x' }] }, { key });
    expect(chat.status).toBe(401);
    expect((await gateway.fetch('/api/v1/realtime/client_secrets', { method: 'POST', key })).status).toBe(401);
    await expect(openSocket(`${gateway.baseUrl}/responses`, { key })).rejects.toThrow('refused with 401');
    const other = await session(inBrowser(key), 'model=sandbox%2Frealtime');
    expect(await other.until(isType('error'))).toMatchObject({ error: { param: 'model' } });
    clock.moved += 11_000;
    await expect(session(inBrowser(key), '')).rejects.toThrow('refused with 401');
  });

  it.each([
    [{ expires_after: { seconds: 9 } }, 'expires_after.seconds'],
    [{ session: { model: 'mock/chat' } }, 'model'],
    [{ session: { model: 'mock/realtime', tools: [{ type: 'mcp' }] } }, 'session.tools.0.type'],
  ])('is refused by its field: %j', async (body, param) => {
    const { status, made } = await make(body);
    expect(status).toBe(400);
    expect(made).toMatchObject({ error: { param } });
  });
});
