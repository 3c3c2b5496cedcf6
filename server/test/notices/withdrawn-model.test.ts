/** A model that is switched off is told once, whatever else happens to the catalog. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CatalogAdmin, createCatalogAdmin, type SeedSources, seedCatalog } from '../../src/catalog/index.ts';
import { createKeyService } from '../../src/keys/index.ts';
import { createNotices, type Notices } from '../../src/notices/index.ts';
import { tellCatalogNews } from '../../src/notices/watch/dated-news.ts';
import { type CatalogFixture, catalogFixture } from '../catalog/catalog-in-database.ts';

const MODEL = 'openai/gpt-6.1-sol';
const HOUR = 3_600_000;
const NO_FILE = { exchangeRate: undefined, margin: undefined };
const sources = (exchangeRate: string): SeedSources => ({
  env: { OPENAI_API_KEY: 'sk' },
  terms: { exchangeRate, margin: '0.1' },
  config: { providers: [], models: [], groups: [] },
  found: [],
  localRates: { perUnit: {}, perRequest: 0n },
  sandbox: true,
});

let fixture: CatalogFixture;
let admin: CatalogAdmin;
let notices: Notices;

beforeAll(async () => {
  fixture = await catalogFixture();
  const { db, clock } = fixture.tools;
  await reprice('100000');
  admin = createCatalogAdmin(fixture.tools, sources('100000'), NO_FILE);
  notices = createNotices({ db, clock, randomBytes, recipients: async () => ({ email: [], sms: [] }) });
  await db.query(
    `insert into account (id, name, rules, calendar, created_at, updated_at) values ('user', 'user', '{}', '{}', now(), now())`,
  );
  await db.query(
    `insert into usage_daily (account_id, day, key_id, model, requests, input_tokens, output_tokens, cost)
     values ('user', $1, 'k', $2, 1, 1, 1, 1)`,
    [new Date(clock.now()), MODEL],
  );
});
afterAll(() => fixture.remove());

const reprice = (exchangeRate: string) =>
  seedCatalog(fixture.tools, { sources: sources(exchangeRate), file: NO_FILE }, true);

/** The catalog is looked at an hour later. */
async function told(): Promise<number> {
  const { db, clock } = fixture.tools;
  clock.at += HOUR;
  const keys = createKeyService({ db, clock, randomBytes });
  await tellCatalogNews({ db, clock, log: fixture.log, notices, keys });
  const { items } = await notices.list('user', { limit: 100 });
  return items.filter(({ event }) => event === 'model.withdrawn').length;
}

it('is told once, although prices change and the model is edited meanwhile', async () => {
  expect(await told()).toBe(0);
  await admin.models.update(MODEL, { enabled: false }, 'test');
  expect(await told()).toBe(1);
  for (const rate of ['110000', '120000']) {
    await reprice(rate);
    expect(await told()).toBe(1);
  }
  await admin.models.update(MODEL, { enabled: false, name: 'Sol, withdrawn' }, 'test');
  expect(await told()).toBe(1);
});

it('that goes on a day is told at once with its successor, and not again when the day has come', async () => {
  await admin.models.update(MODEL, { enabled: true }, 'test');
  const at = new Date(fixture.tools.clock.now() + 30 * HOUR).toISOString();
  await admin.retirement.announce(MODEL, { at, successor: 'openai/gpt-4o' }, 'test');
  expect(await told()).toBe(2);
  const { items } = await notices.list('user', { limit: 1 });
  expect(items[0]?.data).toEqual({ model: MODEL, from: at, successor: 'openai/gpt-4o' });
  fixture.tools.clock.at += 30 * HOUR;
  await admin.follow();
  expect(await admin.models.get(MODEL)).toMatchObject({ enabled: false, state: 'retired' });
  expect(await told()).toBe(2);
});

it('is told again when it was on in between', async () => {
  await admin.models.update(MODEL, { enabled: true }, 'test');
  expect(await told()).toBe(2);
  await admin.models.update(MODEL, { enabled: false }, 'test');
  expect(await told()).toBe(3);
});
