/**
 * The guarantee on answers through the running service: every ending with its money, in every protocol, whole and streamed, and with the
 * official clients. The books are proved whole at the end.
 * @tier gateway
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { wholeProof } from '../harness/whole-proof.ts';
import { eventually } from '../services/eventually.ts';

const ALL = ['tools', 'json_schema', 'streaming'];
const PRICE = { input: 15_000, output: 60_000 };
const cost = { input: 10_000, output: 40_000 };
const route = (provider: string, model: string, priority = 1) => ({ provider, model, priority, cost });
const SIZE = { context: 128_000, max_output: 4_096 };
const model = (id: string, ...routes: object[]) => ({ id, ...SIZE, capabilities: ALL, price: PRICE, routes });
const SPOILED = ['fence', 'comma', 'cut', 'prose', 'schema', 'refusal'];
const MODELS = [
  model('lab/one', route('chat-a', 'up-a')),
  model('lab/two', route('chat-a', 'up-a'), route('chat-b', 'up-b', 2)),
  model('lab/claude', route('messages-a', 'up-a')),
  model('lab/gemini', route('gemini-a', 'up-a')),
  model('lab/responses', route('responses-a', 'up-a')),
  ...SPOILED.map((word) => model(`sand/${word}`, route('sandbox', `echo?broken=${word}`))),
  model('sand/rescued', route('sandbox', 'echo?broken=prose'), route('sandbox', 'echo', 2)),
  { ...model('lab/loose', route('chat-a', 'up-a')), capabilities: ['tools', 'streaming'] },
];
const account = (id: string) => ({ id, name: id, balance: 10_000, keys: [{ id, key: `dg-test-${id}` }] });
const ACCOUNTS = ['main', 'thief', 'daily', 'poor'];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    config: {
      sandbox: true,
      models: MODELS,
      groups: [],
      accounts: [
        ...ACCOUNTS.map(account),
        { id: 'ruled', balance: 10_000, keys: [{ id: 'ruled', key: 'dg-test-ruled', rules: { guarantee: true } }] },
      ],
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['city', 'tags'],
  additionalProperties: false,
};
const GOOD = '{"city":"Shiraz","tags":["rose"]}';
const FORMAT = (schema: object = SCHEMA, strict = true) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'place', strict, schema } },
});
const ASKED = { messages: [{ role: 'user', content: 'Where?' }], svc: { guarantee: true } };
const TOOL = { type: 'function', function: { name: 'go', parameters: { type: 'object', properties: {} } } };

interface Told {
  repair?: string[];
  guarantee?: { state: string; fault?: string; reason?: string; credit?: string };
}
interface Answered {
  choices: { message: { content: string | null; tool_calls?: { function: { arguments: string } }[] } }[];
  usage: { cost?: number };
  svc?: Told;
}
interface Receipt {
  cost: string;
  guarantee: string | null;
  repair: string[];
  guarantee_credit?: { state: string; amount: string };
  attempts: { outcome: string; provider_cost?: string }[];
  provider_cost: string | null;
}

const as = (name: string) => ({ key: `dg-test-${name}` });
async function chat(body: object, name = 'main') {
  const response = await gateway.chat({ ...ASKED, ...body }, as(name));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return { id: response.headers.get('x-svc-request-id') ?? '', body: JSON.parse(text) as Answered };
}
const contentOf = ({ body }: { body: Answered }) => body.choices[0]?.message.content;
async function receiptOf(id: string, credit?: string): Promise<Receipt> {
  return eventually(async () => {
    const response = await gateway.admin('GET', `/api/admin/requests/${id}`);
    const receipt = (await response.json()) as Receipt & { state: string };
    expect(receipt.state).toBe('completed');
    if (credit !== undefined) expect(receipt.guarantee_credit?.state).toBe(credit);
    return receipt;
  });
}
async function transfersOf(id: string) {
  const response = await gateway.admin('GET', `/api/admin/transfers?reference=${id}`);
  const { data } = (await response.json()) as {
    data: { kind: string; amount: string; debit: string; credit: string }[];
  };
  return data.map(({ kind, amount, debit, credit }) => ({ kind, amount, debit, credit }));
}

describe('an answer that is right', () => {
  it('is charged as usual, and told to be kept', async () => {
    gateway.vendor.next(answer(GOOD));
    const done = await chat({ model: 'lab/two', ...FORMAT() });
    expect(done.body.svc).toEqual({ guarantee: { state: 'kept' } });
    expect(await receiptOf(done.id)).toMatchObject({ guarantee: 'kept', repair: [] });
  });

  it('is left alone for who does not ask, and where nothing is promised', async () => {
    for (const body of [{ svc: {}, ...FORMAT() }, { svc: { guarantee: true } }, FORMAT(SCHEMA, false)]) {
      gateway.vendor.next(answer('```json\n{}\n```'));
      const done = await chat({ model: 'lab/two', ...body });
      expect(done.body.svc).toBeUndefined();
      expect(contentOf(done)).toContain('```');
      expect(gateway.vendor.requests).toHaveLength(1);
      gateway.vendor.reset();
    }
  });

  it('a wrong switch is refused by its field, also where no chat is asked', async () => {
    const wrong = await gateway.chat({ ...ASKED, model: 'lab/one', svc: { guarantee: 'yes' } }, as('main'));
    expect(wrong.status).toBe(400);
    expect(((await wrong.json()) as { error: { param: string } }).error.param).toBe('svc.guarantee');
  });
});

describe('a repair that is certain', () => {
  it.each(['fence', 'comma', 'cut'])('%s: mended, told, charged as usual', async (how) => {
    const done = await chat({ model: `sand/${how}`, ...FORMAT() });
    expect(JSON.parse(contentOf(done) ?? '')).toMatchObject({ city: expect.any(String), tags: expect.any(Array) });
    expect(done.body.svc).toEqual({ repair: [how], guarantee: { state: 'kept' } });
    const receipt = await receiptOf(done.id);
    expect(receipt).toMatchObject({ guarantee: 'kept', repair: [how] });
    expect(Number(receipt.cost)).toBeGreaterThan(0);
    expect(receipt.guarantee_credit).toBeUndefined();
  });

  it('is done in a stream, which arrives at once', async () => {
    gateway.vendor.next(answer({ text: '```json\n{"city":"Yazd","tags":[],}\n```', pieces: 6 }));
    const response = await gateway.chat({ ...ASKED, model: 'lab/one', ...FORMAT(), stream: true }, as('main'));
    const text = await response.text();
    const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: {'));
    const chunks = frames.map(
      (frame) => JSON.parse(frame.slice(6)) as { choices: { delta: { content?: string } }[]; svc?: Told },
    );
    const said = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(JSON.parse(said)).toEqual({ city: 'Yazd', tags: [] });
    expect(chunks.find(({ svc }) => svc)?.svc).toEqual({ repair: ['fence', 'comma'], guarantee: { state: 'kept' } });
    expect(gateway.vendor.requests[0]?.stream).toBe(true);
  });

  it('is done to arguments of tools, which a rule of the key may ask for', async () => {
    gateway.vendor.next(answer({ toolCalls: [{ name: 'go', arguments: '{"to":"Qom",}' }] }));
    const done = await chat({ model: 'lab/one', tools: [TOOL], svc: {} }, 'ruled');
    expect(done.body.choices[0]?.message.tool_calls?.[0]?.function.arguments).toBe('{"to":"Qom"}');
    expect(done.body.svc?.repair).toEqual(['comma']);
    gateway.vendor.next(answer({ toolCalls: [{ name: 'go', arguments: '{"to":"Qom",}' }] }));
    const off = await chat({ model: 'lab/one', tools: [TOOL], svc: { guarantee: false } }, 'ruled');
    expect(off.body.svc).toBeUndefined();
  });
});

describe('an answer that is asked once more', () => {
  it('is charged once; what the first one cost is the operator’s', async () => {
    const usage = { input: 100, output: 50 };
    gateway.vendor.next(
      answer({ text: 'Somewhere nice.', usage: { input: 100, output: 10 } }),
      answer({ text: GOOD, usage }),
    );
    const done = await chat({ model: 'lab/two', max_tokens: 200, ...FORMAT() });
    expect(contentOf(done)).toBe(GOOD);
    expect(done.body.svc).toEqual({ guarantee: { state: 'asked_again' } });
    const receipt = await receiptOf(done.id);
    expect(receipt).toMatchObject({ cost: '4.5', provider_cost: '3', guarantee: 'asked_again' });
    expect(receipt.attempts.map(({ outcome, provider_cost: own }) => [outcome, own])).toEqual([
      ['broken-answer', '1.4'],
      ['ok', undefined],
    ]);
    await eventually(async () => expect((await transfersOf(done.id)).map(({ kind }) => kind)).toEqual(['charge']));
  });

  it('as the sandbox plays it, in a stream', async () => {
    const response = await gateway.chat({ ...ASKED, model: 'sand/rescued', ...FORMAT(), stream: true }, as('main'));
    const text = await response.text();
    expect(text).toContain('"state":"asked_again"');
    expect(text).not.toContain('Here it is');
  });

  it('not where less is held than another answer may cost: it is free at once', async () => {
    gateway.vendor.next(answer({ text: 'No.', usage: { input: 20, output: 100_000 } }), answer(GOOD));
    const done = await chat({ model: 'lab/two', max_tokens: 16, ...FORMAT() });
    expect(gateway.vendor.requests).toHaveLength(1);
    expect(done.body.svc?.guarantee).toMatchObject({ state: 'broken', credit: 'due' });
    await receiptOf(done.id, 'credited');
  });

  it('and where the other route fails, the first answer goes out, free', async () => {
    gateway.vendor.next(answer('No.'), faults.failWith(500));
    const done = await chat({ model: 'lab/two', ...FORMAT() });
    expect(contentOf(done)).toBe('No.');
    const receipt = await receiptOf(done.id, 'credited');
    expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'server']);
    expect(receipt.attempts[0]?.provider_cost).toBeUndefined();
  });
});

describe('an answer that stays broken', () => {
  it('is free: charged and given back by a transfer of its own kind, its cost the operator’s', async () => {
    gateway.vendor.next(answer('No.'), answer({ text: '{"city":7}', usage: { input: 100, output: 50 } }));
    const done = await chat({ model: 'lab/two', ...FORMAT() });
    expect(done.body.svc?.guarantee).toMatchObject({ state: 'broken', fault: 'schema', credit: 'due' });
    const receipt = await receiptOf(done.id, 'credited');
    expect(receipt).toMatchObject({ cost: '4.5', guarantee_credit: { state: 'credited', amount: '4.5' } });
    expect(receipt.attempts[0]).toMatchObject({ outcome: 'broken-answer', provider_cost: expect.any(String) });
    expect(receipt.provider_cost).toBe('3');
    expect(await transfersOf(done.id)).toEqual(
      expect.arrayContaining([
        { kind: 'guarantee', amount: '4.5', debit: 'revenue', credit: 'wallet:main' },
        { kind: 'charge', amount: '-4.5', debit: 'wallet:main', credit: 'revenue' },
      ]),
    );
    const own = await gateway.fetch(`/api/v1/requests/${done.id}`, as('main'));
    expect(await own.json()).toMatchObject({ guarantee: 'broken', guarantee_credit: { state: 'credited' } });
  });

  it('so are arguments of tools that are no JSON; on routes that enforce nothing they are only told', async () => {
    const broken = answer({ toolCalls: [{ name: 'go', arguments: 'to Qom, please' }] });
    gateway.vendor.next(broken);
    const done = await chat({ model: 'lab/one', tools: [TOOL] });
    expect(done.body.svc?.guarantee).toMatchObject({ state: 'broken', fault: 'not_json' });
    await receiptOf(done.id, 'credited');
    gateway.vendor.next(broken);
    const loose = await chat({ model: 'lab/loose', tools: [TOOL] });
    expect(loose.body.svc?.guarantee).toMatchObject({ state: 'unmet', fault: 'not_json' });
    expect((await receiptOf(loose.id)).guarantee_credit).toBeUndefined();
  });

  it('beyond the bound of the day it is charged as usual, and told', async () => {
    await gateway.admin('PATCH', '/api/admin/settings', { guarantee_free_per_day: 3 });
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) gateway.vendor.next(answer('No.'));
    await Promise.all(
      Array.from({ length: 5 }, async () => ids.push((await chat({ model: 'lab/one', ...FORMAT() }, 'daily')).id)),
    );
    const states = await eventually(async () => {
      const all = await Promise.all(ids.map((id) => receiptOf(id)));
      const found = all.map(({ guarantee_credit: credit }) => credit?.state);
      expect(found).not.toContain('waiting');
      return found;
    });
    expect(states.sort()).toEqual(['credited', 'credited', 'credited', 'over', 'over']);
    const { data } = (await (
      await gateway.admin('GET', '/api/admin/transfers?account_id=daily&kind=guarantee')
    ).json()) as { data: object[] };
    expect(data).toHaveLength(3);
    await gateway.admin('PATCH', '/api/admin/settings', { guarantee_free_per_day: 20 });
  });

  it('who breaks answers at will is given no more than the worth of the day, and nothing is asked again for it', async () => {
    await gateway.admin('PATCH', '/api/admin/settings', { guarantee_toman_per_day: 0 });
    gateway.vendor.next(answer('No.'));
    const done = await chat({ model: 'lab/two', ...FORMAT() }, 'daily');
    expect(gateway.vendor.requests).toHaveLength(1);
    await receiptOf(done.id, 'over');
    await gateway.admin('PATCH', '/api/admin/settings', { guarantee_toman_per_day: 200_000 });
  });
});

describe('what is no broken promise', () => {
  it.each([
    ['a limit of the client’s own', { text: '{"city":"Shi', finish: 'length' as const }, 'length'],
    ['a filter of the provider', { text: 'I', finish: 'content_filter' as const }, 'content_filter'],
  ])('%s', async (_, given, reason) => {
    gateway.vendor.next(answer(given));
    const done = await chat({ model: 'lab/two', ...FORMAT() });
    expect(done.body.svc?.guarantee).toEqual({ state: 'not_covered', reason });
    expect(gateway.vendor.requests).toHaveLength(1);
    expect((await receiptOf(done.id)).guarantee_credit).toBeUndefined();
  });

  it('a refusal of the model', async () => {
    const done = await chat({ model: 'sand/refusal', ...FORMAT() });
    expect(done.body.svc?.guarantee).toEqual({ state: 'not_covered', reason: 'refusal' });
  });

  it.each<[string, object]>([
    ['{"not":{}}', { not: {} }],
    ['an empty enum', { ...SCHEMA, properties: { city: { enum: [] }, tags: SCHEMA.properties.tags } }],
    ['false', { ...SCHEMA, properties: { city: false, tags: SCHEMA.properties.tags } }],
    [
      'a bound that nothing meets',
      { ...SCHEMA, properties: { city: { type: 'string', minLength: 9, maxLength: 1 }, tags: SCHEMA.properties.tags } },
    ],
    [
      'a pattern that nothing matches',
      { ...SCHEMA, properties: { city: { type: 'string', pattern: '(?!)' }, tags: SCHEMA.properties.tags } },
    ],
  ])('the thief’s schema: %s', async (_, schema) => {
    gateway.vendor.next(answer(GOOD), answer(GOOD));
    const done = await chat({ model: 'lab/two', ...FORMAT(schema) }, 'thief');
    expect(contentOf(done)).toBe(GOOD);
    expect(done.body.svc?.guarantee?.state).toMatch(/^(not_covered|unmet)$/);
    expect(gateway.vendor.requests, 'asked again at the operator’s cost').toHaveLength(1);
    const receipt = await receiptOf(done.id);
    expect(Number(receipt.cost)).toBeGreaterThan(0);
    expect(receipt.guarantee_credit).toBeUndefined();
  });
});

describe('who leaves', () => {
  it('a stream that is held back: its input is charged, nothing is given back, nothing stays held', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(2, gate, { text: 'No such thing', pieces: 4 }));
    const leaving = new AbortController();
    const asking = gateway.chat(
      { ...ASKED, model: 'lab/two', ...FORMAT(), stream: true },
      { ...as('poor'), signal: leaving.signal },
    );
    await gate.reached;
    leaving.abort();
    await asking.then((response) => response.text()).catch(() => undefined);
    expect(await (await gateway.vendor.received(0)).ended).toBe('aborted');
    gate.open();
    const wallet = await eventually(async () => {
      const view = (await (await gateway.fetch('/api/v1/key', as('poor'))).json()) as {
        wallet: { balance: string; held: string };
      };
      expect(view.wallet.held).toBe('0');
      expect(Number(view.wallet.balance)).toBeLessThan(10_000);
      return view.wallet;
    });
    expect(Number(wallet.balance)).toBeGreaterThan(9_990);
    const { data } = (await (
      await gateway.admin('GET', '/api/admin/transfers?account_id=poor&kind=guarantee')
    ).json()) as { data: object[] };
    expect(data).toEqual([]);
  });
});

describe('other protocols and their clients', () => {
  it('OpenAI’s SDK: chat and responses', async () => {
    const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: 'dg-test-main', maxRetries: 0 });
    gateway.vendor.next(answer(`\`\`\`json\n${GOOD}\n\`\`\``), answer(`\`\`\`json\n${GOOD}\n\`\`\``));
    const body = { model: 'lab/one', messages: [{ role: 'user', content: 'Where?' }], ...FORMAT(), svc: ASKED.svc };
    const chatted = await client.chat.completions.create(body as never);
    expect(chatted).toMatchObject({ choices: [{ message: { content: GOOD } }], svc: { repair: ['fence'] } });
    const format = { type: 'json_schema', name: 'place', strict: true, schema: SCHEMA };
    const responded = await client.responses.create({
      model: 'lab/responses',
      input: 'Where?',
      text: { format },
      store: false,
      svc: ASKED.svc,
    } as never);
    expect(responded.output_text).toBe(GOOD);
    expect(responded).toMatchObject({ svc: { repair: ['fence'], guarantee: { state: 'kept' } } });
  });

  it('Anthropic’s SDK: arguments of a streamed tool call, and a schema', async () => {
    const client = new Anthropic({
      baseURL: `${gateway.origin}/api`,
      authToken: 'dg-test-main',
      apiKey: null,
      maxRetries: 0,
    });
    gateway.vendor.next(answer({ toolCalls: [{ name: 'go', arguments: '{"to":["Qom"' }] }));
    const tools = [{ name: 'go', input_schema: { type: 'object' as const, properties: {} } }];
    const asked = { model: 'lab/one', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Go' }] };
    const called = await client.messages.stream({ ...asked, tools, svc: ASKED.svc } as never).finalMessage();
    expect(called.content).toMatchObject([{ type: 'tool_use', name: 'go', input: { to: ['Qom'] } }]);
    gateway.vendor.next(answer('Nowhere'));
    const output_config = { format: { type: 'json_schema', schema: SCHEMA } };
    const said = await client.messages.create({
      ...asked,
      model: 'lab/claude',
      output_config,
      svc: ASKED.svc,
    } as never);
    expect(said).toMatchObject({ svc: { guarantee: { state: 'broken', credit: 'due' } } });
  });

  it('Gemini: a response schema, which other providers are told to enforce', async () => {
    const generationConfig = { responseMimeType: 'application/json', responseJsonSchema: SCHEMA };
    const contents = [{ role: 'user', parts: [{ text: 'Where?' }] }];
    for (const name of ['lab/gemini', 'lab/one']) {
      gateway.vendor.next(answer(GOOD.slice(0, -2)));
      const response = await gateway.fetch(`/api/v1beta/models/${name}:generateContent`, {
        ...as('main'),
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ contents, generationConfig, svc: ASKED.svc }),
      });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(JSON.parse(text)).toMatchObject({
        candidates: [{ content: { parts: [{ text: GOOD }] } }],
        svc: { repair: ['cut'], guarantee: { state: 'kept' } },
      });
    }
    expect(JSON.stringify(gateway.vendor.requests.at(-1)?.body)).toContain('"strict":true');
  });
});

it('the books are right after all of it', async () => {
  const proof = await wholeProof(gateway.admin);
  expect(proof.checks.filter(({ result }) => result === 'failed')).toEqual([]);
  expect(proof.ok).toBe(true);
});
