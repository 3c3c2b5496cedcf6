/** Stored answers: continued by id, read again, deleted, kept over a restart. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

const OTHER_KEY = 'dg-test-other';
const accounts = [
  { id: 'acme', balance: 100_000, keys: [{ id: 'main', key: 'dg-test-main' }] },
  { id: 'other', balance: 100_000, keys: [{ id: 'other', key: OTHER_KEY }] },
];

let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startGateway({ config: { accounts } });
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => gateway.vendor.reset());

function sent(index: number): JsonObject {
  const request = gateway.vendor.requests[index];
  if (!request) throw new Error(`the provider got no request ${index}`);
  return request.body;
}

function status(path: string, init?: Parameters<TestGateway['fetch']>[1]): Promise<number> {
  return gateway.fetch(`/api/v1/responses/${path}`, init).then((reply) => reply.status);
}

describe.each(['mock/chat', 'mock/responses'])('a conversation through %s', (model) => {
  it('goes on from the stored answer, over several turns, streamed or not', async () => {
    gateway.vendor.next(answer('one'), answer('two'), answer('three'));
    const first = await client.responses.create({ model, input: 'first', instructions: 'only for the first' });
    const second = await client.responses
      .stream({ model, input: 'second', previous_response_id: first.id })
      .finalResponse();
    expect(second.previous_response_id).toBe(first.id);
    const third = await client.responses.create({ model, input: 'third', previous_response_id: second.id });
    expect(third.output_text).toBe('three');
    const said = JSON.stringify(sent(2));
    for (const [earlier, later] of [
      ['first', '"one"'],
      ['"one"', 'second'],
      ['second', '"two"'],
      ['"two"', 'third'],
    ]) {
      expect(said.indexOf(String(earlier))).toBeGreaterThan(-1);
      expect(said.indexOf(String(earlier))).toBeLessThan(said.indexOf(String(later)));
    }
    // The protocol's own rule: instructions are of one request, not of the conversation.
    expect(said).not.toContain('only for the first');
    expect(sent(2)).not.toHaveProperty('previous_response_id');
  });

  it('takes the outputs of tools alone', async () => {
    gateway.vendor.next(answer({ toolCalls: [{ id: 'call_a', name: 'f', arguments: '{}' }] }), answer('done'));
    const tools = [{ type: 'function' as const, name: 'f', parameters: {}, strict: false }];
    const first = await client.responses.create({ model, input: 'go', tools });
    const call = first.output.find((item) => item.type === 'function_call');
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'ok' };
    const second = await client.responses.create({ model, input: [output], tools, previous_response_id: first.id });
    expect(second.output_text).toBe('done');
    const wrong = client.responses.create({
      model,
      input: [output, { ...output, call_id: 'call_none' }],
      previous_response_id: first.id,
    });
    // Counted as the client counts, without the items of earlier turns.
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'input.1.call_id' });
  });

  it('resolves references to stored items', async () => {
    gateway.vendor.next(answer('remember me'), answer('yes'));
    const first = await client.responses.create({ model, input: 'x' });
    const id = first.output[0]?.id ?? '';
    await client.responses.create({
      model,
      input: [
        { type: 'item_reference', id },
        { role: 'user', content: 'and?' },
      ],
    });
    expect(JSON.stringify(sent(1))).toContain('remember me');
    expect(JSON.stringify(sent(1))).not.toContain('item_reference');
  });
});

describe('a stored answer', () => {
  it('is read and listed by its own account only, and deleted for good', async () => {
    const made = await client.responses.create({ model: 'mock/chat', input: 'hello', metadata: { a: 'b' } });
    const read = await client.responses.retrieve(made.id);
    expect(read).toEqual(made);
    expect(read.metadata).toEqual({ a: 'b' });
    const items = await client.responses.inputItems.list(made.id);
    expect(items.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    ]);
    expect(await status(made.id, { key: OTHER_KEY })).toBe(404);
    expect(await status(made.id, { key: OTHER_KEY, method: 'DELETE' })).toBe(404);
    const stolen = await gateway.fetch('/api/v1/responses', {
      key: OTHER_KEY,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mock/chat', input: 'x', previous_response_id: made.id }),
    });
    expect(stolen.status).toBe(400);
    await client.responses.delete(made.id);
    expect(await status(made.id)).toBe(404);
    expect(await status(made.id, { method: 'DELETE' })).toBe(404);
  });

  it('pages its input items, those of earlier turns included', async () => {
    const first = await client.responses.create({ model: 'mock/chat', input: 'a' });
    const input = ['b', 'c'].map((content) => ({ role: 'user' as const, content }));
    const second = await client.responses.create({ model: 'mock/chat', input, previous_response_id: first.id });
    const page = await client.responses.inputItems.list(second.id, { limit: 2, order: 'asc' });
    expect(page.has_more).toBe(true);
    const rest = await client.responses.inputItems.list(second.id, {
      limit: 2,
      order: 'asc',
      after: page.data[1]?.id ?? '',
    });
    const texts = [...page.data, ...rest.data].map((item) => JSON.stringify(item));
    expect(texts.map((text) => /"text":"([^"]*)"/.exec(text)?.[1])).toEqual(['a', 'You said: a', 'b', 'c']);
    expect(await status(`${second.id}/input_items?limit=0`)).toBe(400);
  });

  it('is not made when the client says so', async () => {
    const unstored = await client.responses.create({ model: 'mock/chat', input: 'x', store: false });
    expect((unstored as unknown as { store: boolean }).store).toBe(false);
    expect(await status(unstored.id)).toBe(404);
  });

  it('survives a restart', async () => {
    const made = await client.responses.create({ model: 'mock/chat', input: 'before the restart' });
    await gateway.stop({ keepData: true });
    gateway = await startGateway({ config: { accounts }, dataDir: gateway.dataDir });
    client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
    expect(await client.responses.retrieve(made.id)).toEqual(made);
    await client.responses.create({ model: 'mock/responses', input: 'after', previous_response_id: made.id });
    expect(JSON.stringify(sent(0))).toContain('before the restart');
    const [item] = made.output;
    await client.responses.create({
      model: 'mock/chat',
      input: [
        { type: 'item_reference', id: item?.id ?? '' },
        { role: 'user', content: 'x' },
      ],
    });
    expect(JSON.stringify(sent(1))).toContain('You said: before the restart');
  });
});

it('is stored when its reader left a stream that is finished for an Idempotency-Key', async () => {
  const gate = createGate();
  gateway.vendor.next(faults.stallAfter(2, gate, { text: 'a long story that somebody will come back for' }));
  const reply = await gateway.fetch('/api/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'come-back' },
    body: JSON.stringify({ model: 'mock/chat', input: 'tell', stream: true }),
  });
  const reader = reply.body?.getReader();
  const first = Buffer.from((await reader?.read())?.value ?? '').toString();
  const id = /"id":"(resp_\w+)"/.exec(first)?.[1] ?? '';
  await reader?.cancel();
  // A request that comes after the leaving is answered after it was noticed.
  expect(await status(id)).toBe(404);
  gate.open();
  await eventually(async () => expect(await status(id)).toBe(200));
});
