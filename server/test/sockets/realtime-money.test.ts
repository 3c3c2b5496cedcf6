/** What a thief tries with a realtime session: no provider is connected, hears or speaks unless it can be paid. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { startFakeVendor } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { answering, type FakeRealtime, type FakeSession, startFakeRealtime } from './fake-realtime.ts';
import { openSocket, type SpokenSocket } from './spoken-socket.ts';

let gateway: TestGateway;
let provider: FakeRealtime;
const open: SpokenSocket[] = [];

/** Toman per token: easy to add up. The shortest response is 16 tokens of audio: 256 toman. */
const price = { input: 1_000_000, output: 4_000_000, audio_input: 8_000_000, audio_output: 16_000_000 };

const account = (id: string, balance: number, rules: object = {}) => ({
  id,
  name: id,
  balance,
  keys: [{ id, key: `dg-test-${id}`, rules }],
});

beforeAll(async () => {
  provider = await startFakeRealtime();
  const vendor = await startFakeVendor();
  const accounts = [
    account('poor', 0),
    account('penny', 255),
    account('pound', 256),
    account('capped', 1_000_000, { caps: { daily: 255 } }),
    account('emptied', 9_000),
    account('told', 9_000),
    account('small', 9_000),
    account('talker', 9_000),
    account('writer', 9_000, { rpm: 1 }),
    account('settler', 9_000),
    account('slow', 1_000_000, { rpm: 1 }),
    account('next', 1_000_000, { rpm: 1 }),
  ];
  const fake = { id: 'rt', protocol: 'openai-chat', base_url: provider.baseUrl, api_key: 'up-secret' };
  const chat = { id: 'chat-a', protocol: 'openai-chat', base_url: vendor.baseUrls['openai-chat'], api_key: 'up' };
  const models = [
    { id: 'mock/realtime', kind: 'realtime', routes: [{ provider: 'rt', model: 'up-rt' }], price, context: 32_000 },
    { id: 'mock/spend', routes: [{ provider: 'chat-a', model: 'm' }], price: { input: 1, output: 1, request: 8_999 } },
  ];
  const settings = { discovery: false, max_event_loop_lag_ms: 600_000 };
  const config = { accounts, settings, sandbox: true, providers: [fake, chat], models, groups: [] };
  gateway = await startGateway({ config, vendor });
});
afterAll(async () => {
  await gateway.stop();
  await gateway.vendor.close();
  await provider.close();
});
beforeEach(async () => {
  provider.on = answering();
  provider.sessions.length = 0;
  for (const { socket, closed } of open.splice(0)) {
    socket.close();
    await closed;
  }
});

async function session(who: string): Promise<SpokenSocket> {
  const socket = await openSocket(`${gateway.baseUrl}/realtime?model=mock%2Frealtime`, { key: `dg-test-${who}` });
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

const receiptOf = (id: string, key: string) =>
  eventually(async () => {
    const reply = await gateway.fetch(`/api/v1/requests/${id}`, { key });
    const receipt = (await reply.json()) as JsonObject;
    expect(reply.status).toBe(200);
    expect(receipt['state']).not.toBe('running');
    return receipt;
  });

async function wallet(key: string): Promise<{ balance: string; held: string }> {
  return ((await (await gateway.fetch('/api/v1/key', { key })).json()) as { wallet: { balance: string; held: string } })
    .wallet;
}

/** Leaves less than a toman of 9,000, by another request. */
async function spendAll(key: string): Promise<void> {
  const reply = await gateway.chat({ model: 'mock/spend', messages: [{ role: 'user', content: 'x' }] }, { key });
  expect(reply.status).toBe(200);
  await eventually(async () => {
    const { balance, held } = await wallet(key);
    expect([Number(balance) < 1, held]).toEqual([true, '0']);
  });
}

describe('a connection', () => {
  it.each([
    ['poor', 'insufficient_balance'],
    ['penny', 'insufficient_balance'],
    ['capped', 'spend_cap_reached'],
  ])(
    'of %s, which cannot pay the shortest response, is refused with %s as a chat is, and asks no provider',
    async (who, code) => {
      const chat = await gateway.chat(
        { model: 'mock/spend', messages: [{ role: 'user', content: 'x' }] },
        { key: `dg-test-${who}` },
      );
      expect(await chat.json()).toMatchObject({ error: { code } });
      const socket = await session(who);
      expect(await socket.until(isType('error'))).toMatchObject({ error: { code, event_id: null } });
      expect(await socket.closed).toMatchObject({ code: 1008 });
      expect(provider.sessions).toEqual([]);
    },
  );

  it('of who can pay it holds nothing and takes nothing from the rates', async () => {
    await begun(await session('pound'));
    expect(await wallet('dg-test-pound')).toMatchObject({ balance: '256', held: '0' });
    for (let opened = 0; opened < 3; opened++) await begun(await session('slow'));
  });
});

describe('money and limits while it runs', () => {
  it('a wallet that is emptied elsewhere ends the session with the reason, and nothing more is asked', async () => {
    const socket = await session('emptied');
    const { received } = await begun(socket);
    await spendAll('dg-test-emptied');
    expect(await socket.turn({ type: 'response.create', event_id: 'mine' })).toMatchObject({
      error: { code: 'insufficient_balance', event_id: 'mine' },
    });
    expect(await socket.closed).toMatchObject({ code: 1008 });
    expect(received).toEqual([]);
  });

  it('a wallet that ends in the middle stops the provider, and never falls below zero', async () => {
    const delta = Buffer.alloc(480_000).toString('base64');
    provider.on = (event, { say }) => {
      const response = { id: 'resp_l', status: 'cancelled', output: [] };
      if (event['type'] === 'response.create') {
        say({ type: 'response.created', response });
        for (let piece = 0; piece < 4; piece++)
          say({ type: 'response.output_audio.delta', response_id: 'resp_l', delta });
      }
      const tokens = { input_tokens: 0, output_tokens: 800, output_token_details: { audio_tokens: 800 } };
      if (event['type'] === 'response.cancel') say({ type: 'response.done', response: { ...response, usage: tokens } });
    };
    const socket = await session('small');
    await begun(socket);
    socket.send({ type: 'response.create' });
    const done = await socket.until(isType('response.done'));
    expect(socket.events.filter(isType('response.output_audio.delta'))).toHaveLength(2);
    expect(await socket.until(isType('error'))).toMatchObject({ error: { code: 'insufficient_balance' } });
    expect(await socket.closed).toMatchObject({ code: 1008 });
    expect(await receiptOf(requestIdIn(done), 'dg-test-small')).toMatchObject({ state: 'completed', cost: '9000' });
    await eventually(async () => expect(await wallet('dg-test-small')).toMatchObject({ balance: '0', held: '0' }));
  });

  it('a rate that is used up refuses one response and keeps the session', async () => {
    const socket = await session('slow');
    await begun(socket);
    expect((await socket.turn({ type: 'response.create' }))['type']).toBe('response.done');
    expect(await socket.turn({ type: 'response.create' })).toMatchObject({ error: { code: 'rate_limited' } });
    expect(socket.socket.readyState).toBe(socket.socket.OPEN);
  });

  it('nothing passes of a response that the provider began and nobody pays for', async () => {
    const socket = await session('next');
    const { say } = await begun(socket);
    await socket.turn({ type: 'response.create' });
    const from = socket.events.length;
    const own = { response_id: 'resp_own' };
    say({ type: 'response.created', response: { id: 'resp_own', status: 'in_progress' } });
    say({ type: 'response.output_text.delta', delta: 'for free', ...own });
    say({ type: 'response.output_text.done', text: 'for free', ...own });
    say({ type: 'response.done', response: { id: 'resp_own', status: 'cancelled', output: [] } });
    say({ type: 'conversation.item.deleted', item_id: 'last' });
    await socket.until(isType('conversation.item.deleted'), from);
    expect(socket.events.slice(from).map(({ type }) => type)).toEqual(['error', 'conversation.item.deleted']);
  });

  const tenSeconds = { type: 'input_audio_buffer.append', audio: Buffer.alloc(480_000).toString('base64') };

  it('a speaker who goes on is heard as far as the wallet reaches', async () => {
    const socket = await session('talker');
    const { received, closed } = await begun(socket);
    // Each costs 200 tokens of 8 toman when it is answered.
    for (let said = 0; said < 8; said++) socket.send(tenSeconds);
    expect(await socket.until(isType('error'))).toMatchObject({ error: { code: 'insufficient_balance' } });
    expect(await socket.closed).toMatchObject({ code: 1008 });
    await closed;
    expect(received.length).toBeGreaterThan(1);
    expect(received.length).toBeLessThanOrEqual(5);
    await eventually(async () => expect(await wallet('dg-test-talker')).toMatchObject({ balance: '9000', held: '0' }));
  });

  it('sound is held for from the moment the provider was told to answer by itself', async () => {
    const detection = (turn_detection: object | null) => ({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { turn_detection } } },
    });
    provider.on = (event, { received, say }) => {
      if (received.length === 1) say({ ...event, type: 'session.updated' });
    };
    const socket = await session('told');
    const { received, closed } = await begun(socket);
    socket.send(detection(null));
    await socket.until(isType('session.updated'));
    await spendAll('dg-test-told');
    socket.send(detection({ type: 'server_vad' }));
    socket.send(tenSeconds);
    expect(await socket.until(isType('error'))).toMatchObject({ error: { code: 'insufficient_balance' } });
    expect(await socket.closed).toMatchObject({ code: 1008 });
    await closed;
    expect(received.map(({ type }) => type)).toEqual(['session.update', 'session.update']);
  });

  const text = (words: number) => 'word '.repeat(words);
  const item = (words: number) => ({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: text(words) }] },
  });

  it('what is written between two words of a speaker is held for before the provider reads it', async () => {
    const socket = await session('writer');
    const { received, closed } = await begun(socket);
    socket.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(9_600).toString('base64') });
    socket.send(item(20_000));
    // The wallet refuses, and not the rate, which would keep the session for the next try.
    expect(await socket.until(isType('error'))).toMatchObject({ error: { code: 'insufficient_balance' } });
    expect(await socket.closed).toMatchObject({ code: 1008 });
    await closed;
    expect(received.map(({ type }) => type)).toEqual(['input_audio_buffer.append']);
  });

  it('settings that the provider has not confirmed are held for', async () => {
    provider.on = () => undefined;
    const socket = await session('settler');
    const { received, closed } = await begun(socket);
    socket.send({ type: 'session.update', session: { type: 'realtime', instructions: text(20_000) } });
    expect(await socket.turn({ type: 'response.create' })).toMatchObject({ error: { code: 'insufficient_balance' } });
    await closed;
    expect(received.map(({ type }) => type)).toEqual(['session.update']);
  });
});
