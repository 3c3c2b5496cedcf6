/** Answers in the background and conversations, as the official SDK asks for them. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import type { Receipt } from '../money/receipts.ts';
import { eventually } from '../services/eventually.ts';

const accounts = [
  { id: 'acme', balance: 100_000, keys: [{ id: 'main', key: 'dg-test-main' }] },
  { id: 'other', balance: 100_000, keys: [{ id: 'other', key: 'dg-test-other' }] },
  { id: 'poor', balance: 0, keys: [{ id: 'poor', key: 'dg-test-poor' }] },
];

let gateway: TestGateway;
let client: OpenAI;
let stranger: OpenAI;

beforeAll(async () => {
  gateway = await startGateway({ config: { accounts } });
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
  stranger = new OpenAI({ baseURL: gateway.baseUrl, apiKey: 'dg-test-other', maxRetries: 0 });
}, 120_000);
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

const model = 'mock/chat';
const ended = (id: string) =>
  eventually(async () => {
    const found = await client.responses.retrieve(id);
    expect(found.status).not.toBe('in_progress');
    return found;
  });
const receiptOf = (id: string) =>
  eventually(async () => {
    const found = await gateway.fetch(`/api/v1/requests/req_${id.slice('resp_'.length)}`);
    expect(found.status).toBe(200);
    const receipt = (await found.json()) as Receipt;
    expect(receipt.state).not.toBe('running');
    return receipt;
  });

describe('an answer in the background', () => {
  it('is begun at once, found by its id, and ends as any other, charged once', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(gate, { text: 'done at last', usage: { input: 10, output: 5 } }));
    const begun = await client.responses.create({ model, input: 'take your time', background: true });
    expect(begun).toMatchObject({ status: 'queued', background: true, output: [] });
    expect((await client.responses.retrieve(begun.id)).status).toBe('in_progress');
    await expect(stranger.responses.retrieve(begun.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      client.responses.create({ model, input: 'and?', previous_response_id: begun.id }),
    ).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
    gate.open();
    const done = await ended(begun.id);
    expect(done).toMatchObject({ id: begun.id, status: 'completed', background: true });
    expect(done.output_text).toBe('done at last');
    expect(await receiptOf(begun.id)).toMatchObject({ state: 'completed', cost: '0.45' });
    expect(gateway.vendor.requests).toHaveLength(1);
  });

  it.each(['mock/responses', 'mock/claude'])('is made by providers of other protocols: %s', async (other) => {
    gateway.vendor.next(answer('here it is'));
    const { id } = await client.responses.create({ model: other, input: 'x', background: true, metadata: { a: 'b' } });
    const done = await ended(id);
    expect(done).toMatchObject({ id, status: 'completed', background: true, store: true, metadata: { a: 'b' } });
    expect(done.output_text).toBe('here it is');
    expect(gateway.vendor.requests[0]?.body).not.toHaveProperty('background');
  });

  it('that is cancelled stops the provider, and stays cancelled', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(gate));
    const { id } = await client.responses.create({ model, input: 'never mind', background: true });
    const request = await gateway.vendor.received(0);
    await expect(stranger.responses.cancel(id)).rejects.toMatchObject({ status: 404 });
    expect((await client.responses.cancel(id)).status).toBe('cancelled');
    expect(await request.ended).toBe('aborted');
    gate.open();
    expect((await receiptOf(id)).state).toBe('client_closed');
    expect((await client.responses.retrieve(id)).status).toBe('cancelled');
    expect((await client.responses.cancel(id)).status).toBe('cancelled');
  });

  it('that fails says so, and costs nothing', async () => {
    gateway.vendor.always(faults.failWith(500));
    const { id } = await client.responses.create({ model, input: 'x', background: true });
    const failed = await ended(id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect(await receiptOf(id)).toMatchObject({ state: 'failed', cost: '0' });
  });

  it('that its owner deletes is stopped and gone', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallBeforeHeaders(gate));
    const { id } = await client.responses.create({ model, input: 'x', background: true });
    const request = await gateway.vendor.received(0);
    await client.responses.delete(id);
    expect(await request.ended).toBe('aborted');
    gate.open();
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it('is refused before it begins where any other would be', async () => {
    const poor = new OpenAI({ baseURL: gateway.baseUrl, apiKey: 'dg-test-poor', maxRetries: 0 });
    await expect(poor.responses.create({ model, input: 'x', background: true })).rejects.toMatchObject({ status: 402 });
    const refused = (fields: object) =>
      client.responses.create({ model, input: 'x', background: true, ...fields } as never);
    await expect(refused({ store: false })).rejects.toMatchObject({ status: 400, param: 'background' });
    await expect(refused({ background: 'yes' })).rejects.toMatchObject({ status: 400, param: 'background' });
    await expect(refused({ model: 'no/such' })).rejects.toMatchObject({ status: 404 });
    expect(gateway.vendor.requests).toHaveLength(0);
  });

  it('that is streamed is read along, left, and continued by its id', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(4, gate, { text: 'one two three four five six', pieces: 6 }));
    const stream = await client.responses.create({ model, input: 'count', background: true, stream: true });
    const seen: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) {
      seen.push(event);
      if (seen.length === 4) break;
    }
    const begun = seen[0] as OpenAI.Responses.ResponseCreatedEvent;
    expect(begun).toMatchObject({ type: 'response.created', sequence_number: 0, response: { background: true } });
    const { id } = begun.response;
    expect((await client.responses.retrieve(id)).status).toBe('in_progress');
    await expect(stranger.responses.retrieve(id, { stream: true })).rejects.toMatchObject({ status: 404 });
    const rest = await client.responses.retrieve(id, { stream: true, starting_after: 3 });
    gate.open();
    for await (const event of rest) seen.push(event);
    expect(seen.map((event) => event.sequence_number)).toEqual(seen.map((_, at) => at));
    expect(seen.at(-1)).toMatchObject({ type: 'response.completed', response: { id, status: 'completed' } });
    const text = seen.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : [])).join('');
    expect(text).toBe('one two three four five six');
    expect((await ended(id)).output_text).toBe(text);
    expect(await receiptOf(id)).toMatchObject({ state: 'completed' });
    await expect(client.responses.retrieve(id, { stream: true, starting_after: 999 })).rejects.toMatchObject({
      status: 400,
      param: 'starting_after',
    });
    expect(gateway.vendor.requests).toHaveLength(1);
  });

  it('that is streamed and cancelled ends for its readers, charged as far as it came', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(4, gate, { text: 'one two three four five six', pieces: 6 }));
    const options = { headers: { 'Idempotency-Key': 'background-stream' } };
    const ask = () => client.responses.create({ model, input: 'x', background: true, stream: true }, options);
    const [stream, joined] = [await ask(), await ask()];
    const types: string[] = [];
    let id = '';
    let isCancelled = false;
    const reading = (async () => {
      for await (const event of stream) {
        types.push(event.type);
        if (event.type === 'response.created') id = event.response.id;
        if (isCancelled || event.type !== 'response.output_text.delta') continue;
        isCancelled = true;
        expect((await client.responses.cancel(id)).status).toBe('cancelled');
        gate.open();
      }
    })();
    await expect(reading).rejects.toThrow('لغو شد');
    const theirs: string[] = [];
    const following = (async () => {
      for await (const event of joined) theirs.push(event.type);
    })();
    await expect(following).rejects.toThrow('لغو شد');
    expect(theirs).toEqual(types);
    expect((await client.responses.retrieve(id)).status).toBe('cancelled');
    expect((await receiptOf(id)).state).toBe('client_closed');
    expect(gateway.vendor.requests).toHaveLength(1);
  });

  it('only such an answer can be cancelled', async () => {
    const { id } = await client.responses.create({ model, input: 'x' });
    await expect(client.responses.cancel(id)).rejects.toMatchObject({ status: 400 });
  });

  it('that is cancelled after it has begun to speak is paid for as far as it came', async () => {
    const gate = createGate();
    gateway.vendor.next(faults.stallAfter(4, gate, { text: 'one two three four five six seven eight nine ten' }));
    const { id } = await client.responses.create({ model, input: 'count', background: true });
    const request = await gateway.vendor.received(0);
    await gate.reached;
    expect((await client.responses.retrieve(id)).status).toBe('in_progress');
    expect((await client.responses.cancel(id)).status).toBe('cancelled');
    expect(await request.ended).toBe('aborted');
    gate.open();
    expect((await receiptOf(id)).state).toBe('client_closed');
    expect((await receiptOf(id)).usage?.completion_tokens).toBeGreaterThan(0);
  });

  it('that breaks off in the middle has failed', async () => {
    gateway.vendor.next(faults.errorEvent(3));
    const { id } = await client.responses.create({ model, input: 'x', background: true });
    expect((await ended(id)).status).toBe('failed');
  });

  it('asked for twice under one Idempotency-Key is made and charged once', async () => {
    const options = { idempotencyKey: 'background-1', headers: { 'Idempotency-Key': 'background-1' } };
    const ask = () => client.responses.create({ model, input: 'once', background: true }, options);
    const [first, second] = [await ask(), await ask()];
    expect(second.id).toBe(first.id);
    expect((await ended(first.id)).status).toBe('completed');
    expect(gateway.vendor.requests).toHaveLength(1);
    const { cost } = await receiptOf(first.id);
    expect(Number(cost)).toBeGreaterThan(0);
  });

  it('too large to be stored is refused, since nobody could read its end', async () => {
    const input = 'x'.repeat((4 << 20) + 1);
    await expect(client.responses.create({ model, input, background: true })).rejects.toMatchObject({
      status: 400,
      param: 'background',
    });
    expect(gateway.vendor.requests).toHaveLength(0);
  });
});

describe('a conversation', () => {
  it('remembers what was said, streamed or not, and is told to every model', async () => {
    gateway.vendor.next(answer('one'), answer('two'), answer('three'));
    const { id } = await client.conversations.create({
      items: [{ role: 'user', content: 'my name is Sara' }],
      metadata: { topic: 'names' },
    });
    const first = await client.responses.create({ model, input: 'first', conversation: id });
    expect(first.conversation).toEqual({ id });
    await client.responses.stream({ model, input: 'second', conversation: { id } }).finalResponse();
    await client.responses.create({ model: 'mock/responses', input: 'third', conversation: id, store: false });
    const said = JSON.stringify(gateway.vendor.requests[2]?.body);
    const places = ['my name is Sara', 'first', '"one"', 'second', '"two"', 'third'].map((text) => said.indexOf(text));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(gateway.vendor.requests[2]?.body).not.toHaveProperty('conversation');
    const items = await client.conversations.items.list(id, { order: 'asc', limit: 100 });
    expect(items.data).toHaveLength(7);
    const page = await client.conversations.items.list(id, { limit: 2 });
    expect(page.data.map((item) => item.id)).toEqual(
      items.data
        .slice(-2)
        .reverse()
        .map((item) => item.id),
    );
  });

  it('is read, renamed, added to, cut and deleted by its account alone', async () => {
    const { id } = await client.conversations.create({});
    expect(await client.conversations.update(id, { metadata: { a: 'b' } })).toMatchObject({ id, metadata: { a: 'b' } });
    const added = await client.conversations.items.create(id, {
      items: [
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
      ],
    });
    const [one] = added.data;
    const itemId = String(one?.id);
    expect(await client.conversations.items.retrieve(itemId, { conversation_id: id })).toMatchObject({ id: itemId });
    for (const foreign of [
      () => stranger.conversations.retrieve(id),
      () => stranger.conversations.update(id, { metadata: {} }),
      () => stranger.conversations.delete(id),
      () => stranger.conversations.items.list(id),
      () => stranger.conversations.items.create(id, { items: [{ role: 'user', content: 'x' }] }),
      () => stranger.conversations.items.delete(itemId, { conversation_id: id }),
    ])
      await expect(foreign()).rejects.toMatchObject({ status: 404 });
    await expect(stranger.responses.create({ model, input: 'x', conversation: id })).rejects.toMatchObject({
      status: 400,
      param: 'conversation',
    });
    await client.conversations.items.delete(itemId, { conversation_id: id });
    expect((await client.conversations.items.list(id)).data).toHaveLength(1);
    expect(await client.conversations.delete(id)).toMatchObject({ id, deleted: true });
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it('and an earlier answer are two pasts, of which one may be named', async () => {
    const { id } = await client.conversations.create({});
    const { id: previous } = await client.responses.create({ model, input: 'x' });
    await expect(
      client.responses.create({ model, input: 'x', conversation: id, previous_response_id: previous }),
    ).rejects.toMatchObject({ status: 400, param: 'conversation' });
  });
});
