/** Customers' own keys at providers: whose they are, what they cost in every ending, and what they must not be able to do. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Operator, operatorOf } from '../admin/operator.ts';
import { answer, createGate, faults, json, type RecordedRequest, startFakeVendor } from '../fake-vendor/index.ts';
import { micro } from '../faults/receipts.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { ask, keyView } from '../money/fixed-price.ts';
import { Browser } from '../people/client.ts';
import { eventually } from '../services/eventually.ts';

const OWN = 'sk-own-of-sara-1234';
const OPERATORS = 'sk-of-the-operator';
/** 8 tokens in at 15,000 and 16 out at 60,000 micro-toman each. */
const EXACT = { text: 'hello yourself', usage: { input: 8, output: 16 } };
const FULL = 1_080_000n;
const FEE = FULL / 20n;

interface ProviderKey {
  id: string;
  last4: string | null;
  fallback: boolean;
  in_use: boolean;
}
interface Receipt {
  state: string;
  cost: string;
  held: string;
  provider_cost: string | null;
  error: { code: string } | null;
  plan: string[];
  routing: { own_key: { id: string; fee_percent: number; answered: boolean } | null } | null;
  attempts: { credential: string; outcome: string; cause: string | null }[];
}

let gateway: TestGateway;
let operator: Operator;
let sara: Browser;
let accountId: string;
let key: string;
let other: string;

beforeAll(async () => {
  const vendor = await startFakeVendor();
  vi.stubEnv('OPENAI_BASE_URL', vendor.baseUrls['openai-chat']);
  vi.stubEnv('ANTHROPIC_BASE_URL', vendor.baseUrls['anthropic-messages']);
  const base = defaultConfig(vendor) as { providers: object[]; models: object[] };
  const provider = { base_url: vendor.baseUrls['openai-chat'], api_key: OPERATORS };
  gateway = await startGateway({
    vendor,
    config: {
      providers: [
        ...base.providers,
        // What the operator has agreed with the vendor holds for the operator's key.
        { ...provider, id: 'openai', vendor: 'openai', max_concurrent: 1, data_policy: { retention_days: 0 } },
        { ...provider, id: 'relay', vendor: 'groq' },
        { ...provider, id: 'anthropic', vendor: 'anthropic', base_url: vendor.baseUrls['anthropic-messages'] },
      ],
      models: [
        ...base.models,
        {
          id: 'mock/own',
          routes: [{ provider: 'openai', model: 'up-own', cost: { input: 9_000, output: 9_000 } }],
          price: { input: 15_000, output: 60_000 },
          capabilities: ['streaming', 'tools'],
        },
        {
          id: 'mock/own-embed',
          kind: 'embedding',
          routes: [{ provider: 'openai', model: 'up-embed' }],
          price: { input: 1_000 },
        },
        {
          id: 'mock/own-claude',
          routes: [{ provider: 'anthropic', model: 'up-claude' }],
          price: { input: 15_000, output: 60_000 },
        },
      ],
    },
  });
  operator = await operatorOf(gateway);
  sara = new Browser(gateway);
  const { body } = await sara.signIn('09121710001', { name: 'Sara' });
  accountId = body.accounts[0]?.id ?? '';
  const transfer = { id: 'own-keys', kind: 'top-up', amount: 1_000 };
  await gateway.admin('POST', `/api/admin/accounts/${accountId}/transfers`, transfer);
  key = (await sara.post<{ key: string }>('/keys', { name: 'k' })).body.key;
  other = 'dg-test-main';
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await gateway?.stop();
  await gateway?.vendor.close();
});
beforeEach(() => gateway.vendor.reset());

const bearer = ({ headers }: RecordedRequest) => String(headers.authorization).replace('Bearer ', '');
const chat = (more: object = {}, whose = key) => ask(gateway.origin, whose, { model: 'mock/own', ...more });
const add = (more: object = {}) =>
  sara.post<ProviderKey>('/provider-keys', { provider: 'openai', secret: OWN, ...more });
const list = async () => (await sara.get<{ data: ProviderKey[]; enabled: boolean }>('/provider-keys')).body;

async function receiptOf(response: Response): Promise<Receipt> {
  await response.text();
  const id = response.headers.get('x-svc-request-id') ?? '';
  return (await gateway.admin('GET', `/api/admin/requests/${id}`)).json() as Promise<Receipt>;
}

/** Which key the provider sees, once the change has arrived. */
const knows = (secret: string) =>
  eventually(async () => {
    await (await chat()).text();
    expect(gateway.vendor.requests.map(bearer).at(-1)).toBe(secret);
  });

async function setFallback(fallback: boolean): Promise<void> {
  const [own] = (await list()).data;
  await sara.patch(`/provider-keys/${own?.id}`, { fallback });
  await eventually(async () => {
    const response = await chat({ svc: { dry_run: true } });
    const { hold } = (await response.json()) as { hold: string };
    expect(micro(hold)).toBe(fallback ? FULL : FEE);
  });
}

describe('an own key', () => {
  it('is taken only when the operator has switched it on, for a provider at its vendor’s own address', async () => {
    expect((await add()).status).toBe(400);
    await operator.patch('/settings', { own_keys: true });
    expect(await operator.refused('PATCH', '/settings', { own_key_fee_percent: 101 })).toEqual([
      400,
      'own_key_fee_percent',
    ]);
    const refused = await sara.post<{ error: { param: string } }>('/provider-keys', { provider: 'relay', secret: OWN });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'provider']);
    expect((await add({ base_url: 'https://thief.example' } as object)).status).toBe(400);
  });

  it('is tried before it is kept, and never shown again', async () => {
    gateway.vendor.always(faults.failWith(401));
    const refused = await sara.post<{ error: { param: string } }>('/provider-keys', {
      provider: 'openai',
      secret: OWN,
    });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'secret']);
    expect(gateway.vendor.requests.map(bearer)).toEqual([OWN]);
    expect((await list()).data).toEqual([]);
    gateway.vendor.always(json(200, { data: [{ id: 'up-own' }] }));
    const added = await add();
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({ last4: '1234', fallback: false, in_use: true });
    for (const path of ['/provider-keys', '/audit-log', '/account'])
      expect(JSON.stringify((await sara.get(path)).body)).not.toContain(OWN);
    expect((await add()).status).toBe(409);
  });

  it('is used for its account alone, at the fee, with nothing owed to the provider; the official SDK sees no difference', async () => {
    gateway.vendor.always(answer(EXACT));
    await knows(OWN);
    const client = new OpenAI({ apiKey: key, baseURL: gateway.baseUrl, maxRetries: 0 });
    const { data, response } = await client.chat.completions
      .create({ model: 'mock/own', messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 })
      .withResponse();
    expect([data.model, data.choices[0]?.message.content]).toEqual(['mock/own', 'hello yourself']);
    const id = response.headers.get('x-svc-request-id') ?? '';
    const receipt = (await (await gateway.admin('GET', `/api/admin/requests/${id}`)).json()) as Receipt;
    expect([micro(receipt.held), micro(receipt.cost), receipt.provider_cost]).toEqual([FEE, FEE, '0']);
    expect(receipt.routing?.own_key).toMatchObject({ fee_percent: 5, answered: true });
    expect(receipt.plan[0]).toContain('own key, fee 5 %');
    const others = await receiptOf(await chat({}, other));
    expect(gateway.vendor.requests.map(bearer).at(-1)).toBe(OPERATORS);
    expect([micro(others.cost), others.routing]).toEqual([FULL, null]);
  });

  it('costs nothing when its provider fails, and is told apart when it is refused', async () => {
    gateway.vendor.always(faults.failWith(401, `wrong key ${OWN}`));
    const refused = await chat();
    expect(refused.status).toBe(403);
    const receipt = await receiptOf(refused);
    expect([receipt.error?.code, micro(receipt.cost)]).toEqual(['own_key_refused', 0n]);
    expect(JSON.stringify(receipt)).not.toContain(OWN);
    gateway.vendor.always(faults.failWith(503));
    const failed = await chat();
    expect(failed.status).toBe(502);
    expect(micro((await receiptOf(failed)).cost)).toBe(0n);
    expect(gateway.vendor.requests.every((request) => bearer(request) === OWN)).toBe(true);
  });

  it('does not spoil the health of the operator’s route, nor take its place', async () => {
    gateway.vendor.always(faults.failWith(401));
    for (let at = 0; at < 30; at++) await (await chat()).text();
    gateway.vendor.always(answer(EXACT));
    const { data } = await operator.get<{ data: { provider: string; state: string }[] }>('/routes/health');
    expect(data.filter(({ provider }) => provider === 'openai').every(({ state }) => state === 'closed')).toBe(true);
    expect((await chat({}, other)).status).toBe(200);
    // The provider takes one request of the operator's at once; those of own keys are not among them.
    const gate = createGate();
    gateway.vendor.choose((request) =>
      bearer(request) === OWN ? faults.stallBeforeHeaders(gate, EXACT) : answer(EXACT),
    );
    const running = [chat(), chat()];
    await gateway.vendor.received(gateway.vendor.requests.length + 1);
    expect((await chat({}, other)).status).toBe(200);
    gate.open();
    for (const response of await Promise.all(running)) expect(response.status).toBe(200);
  });

  it('is charged the fee of its input when the reader leaves before anything was produced', async () => {
    const gate = createGate();
    gateway.vendor.always(faults.stallBeforeHeaders(gate, EXACT));
    const leaving = new AbortController();
    const before = gateway.vendor.requests.length;
    const asked = fetch(`${gateway.origin}/api/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'mock/own',
        max_tokens: 16,
        stream: true,
        messages: [{ role: 'user', content: 'left' }],
      }),
    }).catch(() => undefined);
    await gateway.vendor.received(before);
    leaving.abort();
    await asked;
    await eventually(async () => {
      const { data } = await operator.get<{ data: (Receipt & { id: string })[] }>(
        `/requests?account_id=${accountId}&state=client_closed`,
      );
      expect(data).toHaveLength(1);
      const cost = micro(data[0]?.cost ?? '0');
      // Its input at the fee: far below one token of the usual output price.
      expect(cost > 0n && cost <= FEE).toBe(true);
      expect(data[0]?.provider_cost).toBe('0');
    });
    gate.open();
    await eventually(async () => expect((await keyView(gateway.origin, key)).wallet.held).toBe('0'));
  });

  it('gives way to the operator’s routes, at their price, only when its owner allows it', async () => {
    await setFallback(true);
    gateway.vendor.choose((request) => (bearer(request) === OWN ? faults.rateLimited('1') : answer(EXACT)));
    const response = await chat();
    expect(response.status).toBe(200);
    const receipt = await receiptOf(response);
    expect(micro(receipt.cost)).toBe(FULL);
    expect(receipt.provider_cost).not.toBe('0');
    expect(receipt.routing?.own_key).toMatchObject({ answered: false });
    gateway.vendor.always(answer(EXACT));
    expect(micro((await receiptOf(await chat())).cost)).toBe(FEE);
    await setFallback(false);
  });

  it('makes a cached answer cost its part of the fee, also where the operator’s routes stand behind', async () => {
    await setFallback(true);
    gateway.vendor.always(answer(EXACT));
    const cached = { svc: { cache_seconds: 60 } };
    expect(micro((await receiptOf(await chat(cached))).cost)).toBe(FEE);
    const hit = await receiptOf(await chat(cached));
    expect([micro(hit.cost), hit.provider_cost]).toEqual([FEE / 10n, '0']);
    await setFallback(false);
  });

  it('has the terms of its own account there: what the operator has agreed about data does not hold for it', async () => {
    gateway.vendor.always(answer(EXACT));
    const strict = { svc: { routing: { data: { max_retention_days: 0 } } } };
    expect((await chat(strict, other)).status).toBe(200);
    const refused = await chat(strict);
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      403,
      'data_policy_unmet',
    ]);
    expect((await chat({ svc: { routing: { data: { max_retention_days: 30 } } } })).status).toBe(200);
    const asked = { model: 'mock/own-embed', input: 'hello', ...strict };
    const embedded = await gateway.fetch('/api/v1/embeddings', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    });
    expect([embedded.status, ((await embedded.json()) as { error: { code: string } }).error.code]).toEqual([
      403,
      'data_policy_unmet',
    ]);
  });

  it('counts tokens too: no prompt of its account goes out with the operator’s key', async () => {
    gateway.vendor.always(json(200, { data: [{ id: 'up-claude' }] }));
    expect((await add({ provider: 'anthropic' })).status).toBe(201);
    gateway.vendor.always(json(200, { input_tokens: 7 }));
    const sentWith = ({ headers }: RecordedRequest) => headers['x-api-key'];
    const count = async (whose: string) => {
      const response = await fetch(`${gateway.origin}/api/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${whose}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mock/own-claude', messages: [{ role: 'user', content: 'hello' }] }),
      });
      expect(await response.json()).toMatchObject({ input_tokens: 7 });
      return gateway.vendor.requests.map(sentWith).at(-1);
    };
    await eventually(async () => expect(await count(key)).toBe(OWN));
    expect(await count(other)).toBe(OPERATORS);
    const own = (await sara.get<{ data: (ProviderKey & { provider: string })[] }>('/provider-keys')).body.data;
    await sara.remove(`/provider-keys/${own.find(({ provider }) => provider === 'anthropic')?.id}`);
  });

  it('can be free, and then holds and charges nothing', async () => {
    await operator.patch('/settings', { own_key_fee_percent: 0 });
    gateway.vendor.always(answer(EXACT));
    await eventually(async () => {
      const receipt = await receiptOf(await chat());
      expect([micro(receipt.held), micro(receipt.cost), receipt.provider_cost]).toEqual([0n, 0n, '0']);
    });
    await operator.patch('/settings', { own_key_fee_percent: 5 });
  });

  it('is in no log line, and none of its requests counts as one of unknown cost', async () => {
    expect(JSON.stringify(gateway.log.lines)).not.toContain(OWN);
    const { data } = await operator.get<{ data: Receipt[] }>(`/requests?account_id=${accountId}&limit=200`);
    const charged = data.filter(({ cost }) => micro(cost) > 0n);
    expect(charged.every(({ provider_cost: cost }) => cost !== null)).toBe(true);
  });

  it('is not used while the operator has it switched off, and goes when it is removed', async () => {
    gateway.vendor.always(answer(EXACT));
    await operator.patch('/settings', { own_keys: false });
    await knows(OPERATORS);
    await operator.patch('/settings', { own_keys: true });
    await knows(OWN);
    const [own] = (await list()).data;
    expect((await sara.remove(`/provider-keys/${own?.id}`)).status).toBe(200);
    await knows(OPERATORS);
    expect((await list()).data).toEqual([]);
  });

  it('cannot be used to find out which stolen keys work', async () => {
    gateway.vendor.always(faults.failWith(401));
    const tried: number[] = [];
    for (let at = 0; at < 12; at++) tried.push((await add({ secret: `sk-stolen-${at}` })).status);
    expect(tried).toContain(429);
    expect(tried.slice(-2)).toEqual([429, 429]);
  });
});
