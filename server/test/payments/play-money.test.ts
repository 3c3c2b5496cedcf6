/** When play money could buy something: then the play bank is not offered by itself. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sellsSomething } from '../../src/payments/index.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const NOW = new Date('2026-11-15T12:00:00Z');
const HOUR = 3_600_000;
const FREE = { input: '0', output: '0' };
let temporary: TemporaryDatabase;
let versions = 0;

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.remove());
beforeEach(() => temporary.db.query('delete from provider'));

const sells = () => sellsSomething(temporary.db, NOW);
const provider = (id: string, transport = 'http') =>
  temporary.db.query(
    `insert into provider (id, vendor, protocol, base_url, auth, transport, managed_by, created_at, updated_at)
     values ($1, $1, 'openai-chat', 'http://127.0.0.1:11434', 'none', $2, 'environment', $3, $3)`,
    [id, transport, NOW],
  );

async function model(id: string, providerId: string): Promise<void> {
  await temporary.db.query(
    `insert into model (id, kind, name, managed_by, created_at, updated_at) values ($1, 'chat', $1, 'environment', $2, $2)`,
    [id, NOW],
  );
  await temporary.db.query(
    `insert into route (model_id, provider_id, upstream_model, managed_by) values ($1, $2, 'm', 'environment')`,
    [id, providerId],
  );
}

const price = (modelId: string, perUnit: object, atMs = 0, { tiers = [] as object[], perRequest = 0 } = {}) =>
  temporary.db.query(
    `insert into price (version, model_id, per_unit, per_request, tiers, effective_at, source, created_at)
     values ($1, $2, $3, $4, $5, $6, 'environment', $7)`,
    [`p${++versions}`, modelId, perUnit, perRequest, JSON.stringify(tiers), new Date(NOW.getTime() + atMs), NOW],
  );

it('a first start sells nothing: only simulators answer', async () => {
  expect(await sells()).toBe(false);
  await provider('sandbox', 'sandbox');
  await model('sandbox/echo', 'sandbox');
  await price('sandbox/echo', { input: '1000' });
  expect(await sells()).toBe(false);
});

it('a server on this machine sells as soon as one of its models costs something, without any credential', async () => {
  await provider('ollama');
  await model('ollama/free', 'ollama');
  await price('ollama/free', { input: '1000' }, -HOUR);
  expect(await sells()).toBe(true);
  await price('ollama/free', FREE);
  expect(await sells()).toBe(false);
  await model('ollama/dear', 'ollama');
  await price('ollama/dear', { input: '0', output: '1000' });
  expect(await sells()).toBe(true);
  for (const off of ['enabled', 'present']) {
    await temporary.db.query(`update provider set ${off} = false`);
    expect(await sells(), off).toBe(false);
    await temporary.db.query(`update provider set ${off} = true`);
  }
});

it.each([
  ['announced for later', 'vllm/a', { input: '5' }, HOUR, {}],
  ['of long prompts', 'vllm/b', FREE, 0, { tiers: [{ above: 1000, per_unit: { input: '5' } }] }],
  ['of each request', 'vllm/c', FREE, 0, { perRequest: 5 }],
])('a price %s counts', async (_name, id, perUnit, atMs, more) => {
  await provider('vllm');
  await model(id, 'vllm');
  await price(id, FREE, -HOUR);
  expect(await sells()).toBe(false);
  await price(id, perUnit, atMs, more);
  expect(await sells()).toBe(true);
});

it('a provider that serves no model yet counts', async () => {
  await provider('openai');
  expect(await sells()).toBe(true);
});
