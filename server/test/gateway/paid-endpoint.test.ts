/** A model endpoint in one file: what an endpoint gives is all there is of it, and the paid path does the rest (ADR 0037). */
import { describe, expect, it } from 'vitest';
import { createMemoryAdmission } from '../../src/admission/index.ts';
import { jsonAnswer } from '../../src/core/answer.ts';
import { invalidRequest } from '../../src/core/errors.ts';
import { isJsonObject, parseTrustedJson } from '../../src/core/json.ts';
import { type Money, money, ZERO } from '../../src/core/money.ts';
import { costOf } from '../../src/core/price.ts';
import { reasons } from '../../src/core/reasons.ts';
import type { Usage } from '../../src/core/usage.ts';
import { knownPrice } from '../../src/gateway/admit/estimate.ts';
import { readJsonBody } from '../../src/gateway/admit/read-body.ts';
import type { Call } from '../../src/gateway/call.ts';
import { type Gateway, History, RefusalCounts, RunningRequests, runPaidRequest } from '../../src/gateway/index.ts';
import type { Asked, PaidEndpoint } from '../../src/gateway/paid/paid-endpoint.ts';
import { DEFAULT_CALENDAR, type KeySnapshot, UNLIMITED_ACCOUNT, UNLIMITED_KEY } from '../../src/keys/index.ts';
import { LocalReply } from '../../src/platform/upstream/sandbox/local-reply.ts';
import type { StartRecord, WrittenRequest } from '../../src/requestlog/index.ts';
import { createRouter } from '../../src/routing/index.ts';
import { ManualClock, model, provider, route } from '../routing/fixtures.ts';
import { recordedLog } from '../services/silent-log.ts';

// The endpoint: it says texts louder, and is paid by the character.

interface AskedShout extends Asked {
  text: string;
}

const usageOf = (text: string): Usage => ({ buckets: { characters: text.length }, source: 'upstream' });

const shoutEndpoint: PaidEndpoint<undefined, AskedShout, string> = {
  kind: 'embedding',
  read(call) {
    const { model: wanted, text } = readJsonBody(call);
    if (typeof text !== 'string') throw invalidRequest('text', reasons.required('text'));
    const request = { model: typeof wanted === 'string' ? wanted : undefined, svc: { knowledgeBaseIds: [] } };
    return { request, stream: false, stopsWhenGone: false, text };
  },
  estimate({ text }, { model: { price } }) {
    return knownPrice({ inputTokens: 0, likelyInput: 0, outputTokens: 0 }, costOf(price, usageOf(text)));
  },
  question: ({ asked: { text } }, target) => ({
    path: '/shout',
    headers: {},
    body: JSON.stringify({ model: target.route.upstreamModel, text }),
    warnings: [],
    whole: true,
    decodeFailure: (status) => ({ kind: 'server', status, message: 'it cannot shout' }),
    async open(reply) {
      const answer = parseTrustedJson(await reply.text(1_000));
      const loud = isJsonObject(answer) ? answer['loud'] : undefined;
      if (typeof loud === 'string') return { begun: loud };
      return { failure: { kind: 'malformed', message: 'nothing was shouted' }, status: reply.status };
    },
  }),
  whole: {
    produced: ({ asked }) => ({
      finishSeen: true,
      generated: true,
      delivered: true,
      reported: usageOf(asked.text),
      counted: () => usageOf(asked.text),
    }),
    answer: (_paid, { begun }, { cost }) => jsonAnswer({ loud: begun, cost: String(cost) }),
  },
};

// The gateway around it: real admission, router and run; the wallet, the journal and the providers are the test's.

type Replies = { status: number; body: string }[];
const LOUD = { status: 200, body: '{"loud":"HELLO"}' };
const BROKEN = { status: 500, body: '{}' };

function gatewayWith(balance: Money, replies: Replies) {
  const clock = new ManualClock();
  const rows: WrittenRequest[] = [];
  const opened: StartRecord[] = [];
  const sent: string[] = [];
  const shouter = model([route(provider('a')), route(provider('b'), { priority: 2 })], {
    id: 'mock/shout',
    kind: 'embedding',
    price: { version: 'v1', perUnit: { characters: 7n }, perRequest: 0n },
  });
  const key: KeySnapshot = {
    id: 'k',
    name: 'k',
    rules: UNLIMITED_KEY,
    account: { id: 'acme', name: 'acme', rules: UNLIMITED_ACCOUNT, calendar: DEFAULT_CALENDAR },
  };
  const admission = createMemoryAdmission({
    clock,
    loadPosted: async (ids) => new Map(ids.map((id) => [id, { posted: money(-balance), version: 1n }])),
  });
  const gw = {
    clock,
    settings: { walletMinimum: ZERO, totalDeadlineMs: 60_000, keepaliveMs: 15_000, chargeInterrupted: true },
    catalog: { current: () => ({ models: new Map([[shouter.id, shouter]]), groups: new Map(), providers: new Map() }) },
    keys: { find: () => key },
    admission,
    journal: {
      accepting: () => true,
      depth: () => 0,
      open: async (opening: StartRecord) => void opened.push(opening),
      close: async (row: WrittenRequest) => void rows.push(row),
    },
    router: createRouter({ clock, random: () => 0 }),
    transportOf: ({ id }: { id: string }) => ({
      async send({ onSent }: { onSent?: (() => void) | undefined }) {
        sent.push(id);
        onSent?.();
        const { status, body } = replies.shift() ?? BROKEN;
        return new LocalReply({ status, headers: { 'content-type': 'application/json' }, chunks: [body] }, undefined);
      },
    }),
    history: new History(),
    refusals: new RefusalCounts(100, clock),
    running: new RunningRequests(),
    metrics: { attempted: () => undefined, finished: () => undefined, refused: () => undefined },
    uptime: { finished: () => undefined },
    log: recordedLog(),
  };
  const held = async () => {
    const check = { kind: 'budget', name: 'wallet', id: 'wallet:acme', home: 'acme', limit: ZERO } as const;
    const states = await admission.budgets([check]);
    return [...states.values()].map((state) => state.held);
  };
  return { gw: gw as unknown as Gateway, key, rows, opened, sent, held };
}

function callOf(body: object): Call {
  return {
    id: 'req_1',
    endpoint: 'embeddings',
    receivedAt: 0,
    startedMs: 1_000_000,
    headers: {},
    keyText: 'dg-k',
    ip: '127.0.0.1',
    referrer: undefined,
    language: 'en',
    idempotencyKey: undefined,
    hop: 0,
    relayHeaders: {},
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(body)),
    client: { gone: false, onGone: () => undefined },
    trace: undefined,
    metadata: { windows: new Map(), warnings: [], memory: undefined },
  };
}

const shout = async (gw: Gateway, body: object = { model: 'mock/shout', text: 'hello' }, endpoint = shoutEndpoint) =>
  runPaidRequest(callOf(body), endpoint, undefined, gw);

const COST = money(5n * 7n);

describe('an endpoint on the paid path', () => {
  it('is charged once, for the answer it gave', async () => {
    const { gw, rows, opened, held } = gatewayWith(money(1_000n), [LOUD]);
    const answer = await shout(gw);
    expect(answer).toMatchObject({ kind: 'body', status: 200, body: '{"loud":"HELLO","cost":"35"}' });
    expect(opened).toEqual([expect.objectContaining({ id: 'req_1', held: COST })]);
    expect(rows).toEqual([expect.objectContaining({ id: 'req_1', state: 'completed', cost: COST })]);
    expect(await held()).toEqual([COST]);
    expect(gw.running.size).toBe(0);
  });

  it('is charged once when its first route failed', async () => {
    const { gw, rows, sent, held } = gatewayWith(money(1_000n), [BROKEN, LOUD]);
    expect(await shout(gw)).toMatchObject({ status: 200 });
    expect(sent).toEqual(['a', 'b']);
    expect(rows).toEqual([expect.objectContaining({ state: 'completed', cost: COST, provider: 'b' })]);
    expect(await held()).toEqual([COST]);
  });

  it('is refused when the wallet cannot pay, before anything is sent or noted', async () => {
    const { gw, rows, opened, sent, held } = gatewayWith(money(34n), [LOUD]);
    await expect(shout(gw)).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect([rows, opened, sent]).toEqual([[], [], []]);
    expect(await held()).toEqual([ZERO]);
  });

  it('gets its reserved money back when no provider answers', async () => {
    const { gw, rows, sent, held } = gatewayWith(money(1_000n), [BROKEN, BROKEN]);
    await expect(shout(gw)).rejects.toMatchObject({ code: 'upstream_error' });
    expect(sent).toEqual(['a', 'b']);
    expect(rows).toEqual([expect.objectContaining({ state: 'failed', cost: ZERO })]);
    expect(await held()).toEqual([ZERO]);
    expect(gw.running.size).toBe(0);
  });

  it('gets it back when its own delivery breaks', async () => {
    const { gw, rows, held } = gatewayWith(money(1_000n), [LOUD]);
    const broken = {
      ...shoutEndpoint,
      whole: {
        produced: () => {
          throw new Error('it cannot count');
        },
        answer: () => jsonAnswer({}),
      },
    };
    await expect(shout(gw, undefined, broken)).rejects.toMatchObject({ code: 'internal_error' });
    expect(rows).toEqual([expect.objectContaining({ state: 'failed', cost: ZERO })]);
    expect(await held()).toEqual([ZERO]);
  });

  it('is asked nothing for a caller whose rules refuse the request', async () => {
    const { gw, key, sent } = gatewayWith(money(1_000n), [LOUD]);
    key.rules = { ...key.rules, endpoints: ['chat.completions'] };
    const unread = {
      ...shoutEndpoint,
      read: () => {
        throw new Error('it was read');
      },
    };
    await expect(shout(gw, undefined, unread)).rejects.toMatchObject({ code: 'endpoint_not_allowed' });
    expect(sent).toEqual([]);
  });

  it('refuses by the rules that all endpoints share', async () => {
    const { gw, sent } = gatewayWith(money(1_000n), [LOUD]);
    await expect(shout(gw, { model: 'mock/whisper', text: 'hello' })).rejects.toMatchObject({
      code: 'model_not_found',
    });
    await expect(shout(gw, { model: 'mock/shout' })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(sent).toEqual([]);
  });
});
