/** The exchange rate from an address: what is believed, what is not, and what happens when none can be read for long. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CatalogAdmin,
  createCatalogAdmin,
  createRateSource,
  type RateSource,
  type SeedSources,
  seedCatalog,
} from '../../src/catalog/index.ts';
import { readRate } from '../../src/catalog/prices/read-rate.ts';
import { systemClock } from '../../src/core/clock.ts';
import { GatewayError } from '../../src/core/errors.ts';
import { createSafeFetch } from '../../src/platform/upstream/index.ts';
import { type CatalogFixture, catalogFixture } from './catalog-in-database.ts';

const NO_FILE = { exchangeRate: undefined, margin: undefined };
const OPEN_MS = 120_000;
const HOUR_MS = 3_600_000;
const sources: SeedSources = {
  env: { OPENAI_API_KEY: 'sk' },
  terms: { exchangeRate: '100000', margin: '0.1' },
  config: { providers: [], models: [], groups: [] },
  found: [],
  localRates: { perUnit: {}, perRequest: 0n },
  sandbox: true,
};

it('reads numbers as people write them, and nothing that is no rate', () => {
  const read = (value: unknown, unit: 'toman' | 'rial' = 'toman') => readRate({ usd: value } as never, '/usd', unit);
  expect(read(104_500)).toEqual({ rate: '104500' });
  expect(read('104500.25')).toEqual({ rate: '104500.25' });
  expect(read('104,500')).toEqual({ rate: '104500' });
  expect(read('۱۰۴٬۵۰۰')).toEqual({ rate: '104500' });
  expect(read('۱٬۱۰۴٬۵۰۰٫۷')).toEqual({ rate: '1104500.7' });
  expect(read('١٠٤٥٠٠')).toEqual({ rate: '104500' });
  expect(read('1,045,005', 'rial')).toEqual({ rate: '104500.5' });
  expect(read(1_045_000, 'rial')).toEqual({ rate: '104500' });
  const wrong = [
    0,
    '0',
    '0.00',
    -104_500,
    '-104500',
    1e21,
    1e-7,
    '1e5',
    '104.500.000',
    '1,04,500',
    'N/A',
    '',
    '104500 toman',
  ];
  for (const value of [...wrong, null, true, [], {}, undefined])
    expect(read(value), String(value)).toHaveProperty('problem');
  expect(readRate({ a: [{ 'b/c': '7' }] }, '/a/0/b~1c', 'toman')).toEqual({ rate: '7' });
  expect(readRate({ a: 1 }, '/constructor', 'toman')).toHaveProperty('problem');
  expect(readRate('104500', '', 'toman')).toEqual({ rate: '104500' });
});

describe('a source', () => {
  let fixture: CatalogFixture;
  let admin: CatalogAdmin;
  let source: RateSource;
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let asked = 0;
  const told: string[] = [];
  const rate = async () => (await admin.pricing.terms()).exchangeRate;
  const json = (value: unknown) => (response: ServerResponse) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  const settings = () => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rate`,
    field: '/usd',
    unit: 'toman' as const,
    every_minutes: 30,
    least: '50000',
    most: '200000',
    most_change_percent: 10,
    stale_hours: 6,
    stop_when_stale: false,
  });
  /** Real time: the answer that never comes is waited for with real timers. Whoever answers may take long. */
  const open = (fetchMs = 60_000) => {
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return createRateSource({
      tools: fixture.tools,
      pricing: admin.pricing,
      fetchAddress: createSafeFetch({ clock: systemClock, allowedHosts: [host] }),
      fetchMs,
      fixedByFile: false,
      async onStale({ since }) {
        told.push(since.toISOString());
      },
    });
  };

  beforeAll(async () => {
    fixture = await catalogFixture();
    await seedCatalog(fixture.tools, { sources, file: NO_FILE });
    admin = createCatalogAdmin(fixture.tools, sources, NO_FILE);
    server = createServer((_, response) => {
      asked++;
      answer(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    source = open();
  }, OPEN_MS);
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await fixture.remove();
  });

  it('is read, becomes the rate, and reprices; one replica asks per period', async () => {
    answer = json({ usd: '۱۰۵٬۰۰۰' });
    await source.set(settings(), 'finance');
    const replicas = [source, open(), open()];
    await Promise.all(replicas.map((one) => one.tick()));
    expect([asked, await rate()]).toEqual([1, '105000']);
    expect((await admin.prices.history('openai/gpt-4o'))[0]).toMatchObject({ exchange_rate: '105000' });
    expect(await admin.pricing.view()).toMatchObject({ exchange_rate_origin: settings().url });
    await source.tick();
    expect(asked).toBe(1);
    fixture.tools.clock.at += 30 * 60_000;
    await Promise.all(replicas.map((one) => one.tick()));
    expect(asked).toBe(2);
  });

  it('keeps the last rate whatever nonsense is answered, and says what it was', async () => {
    const nonsense: [string, (response: ServerResponse) => void, RegExp][] = [
      ['garbage', (response) => void response.end('<html>'), /not JSON/],
      ['zero', json({ usd: 0 }), /zero/],
      ['negative', json({ usd: -105_000 }), /plain number/],
      ['ten times', json({ usd: 1_050_000 }), /between/],
      ['a jump', json({ usd: 120_000 }), /% away/],
      ['too low', json({ usd: 4 }), /between/],
      ['another shape', json({ rates: [1] }), /nothing stands/],
      ['an error', (response) => void response.writeHead(500).end(), /500/],
      ['nothing', () => undefined, /timeout/],
      ['half an answer', (response) => void response.writeHead(200, { 'content-length': '99' }).write('{"usd"'), /.+/],
      ['a flood', (response) => void response.end('1'.repeat(300_000)), /.+/],
      ['a way inside', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /https/],
      [
        'the cloud’s own address',
        (response) => void response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end(),
        /public internet/,
      ],
    ];
    for (const [name, reply, problem] of nonsense) {
      answer = reply;
      const neverEnds = name === 'nothing' || name === 'half an answer';
      const { problem: said } = await (neverEnds ? open(400) : source).fetchNow();
      expect(said, name).toMatch(problem);
      expect(await rate(), name).toBe('105000');
    }
    answer = json({ usd: 106_000 });
    expect(await source.fetchNow()).toMatchObject({ problem: null, rate: '106000', stale: false });
    expect(await rate()).toBe('106000');
  });

  it('tells staff when it is stale, once per silence, and may stop what is priced by it', async () => {
    const catalog = fixture.openCatalog();
    const offered = () =>
      [...catalog.current().models.keys()].filter((id) => /^(openai\/gpt-4o|sandbox\/echo)$/.test(id));
    await catalog.reload();
    answer = (response) => void response.writeHead(503).end();
    fixture.tools.clock.at += 6 * HOUR_MS;
    await source.tick();
    fixture.tools.clock.at += 30 * 60_000;
    await source.tick();
    expect(new Set(told).size).toBe(1);
    expect(offered()).toEqual(['openai/gpt-4o', 'sandbox/echo']);
    // With the setting, a rate too old ends the offer at its moment; prices in toman go on.
    await source.set({ ...settings(), stop_when_stale: true }, 'finance');
    await catalog.reload();
    expect(offered()).toHaveLength(2);
    fixture.tools.clock.at += 6 * HOUR_MS - 1;
    expect(offered()).toHaveLength(2);
    fixture.tools.clock.at += 1;
    expect(offered()).toEqual(['sandbox/echo']);
    answer = json({ usd: 106_500 });
    await source.tick();
    await catalog.reload();
    expect(offered()).toHaveLength(2);
    await source.remove('finance');
    expect(await source.view()).toBeNull();
  });

  it('is refused with settings that cannot be meant', async () => {
    for (const wrong of [{ url: 'rate' }, { field: 'usd' }, { least: '300000' }, { least: '0' }, { stale_hours: 0 }])
      await expect(source.set({ ...settings(), ...wrong }, 'finance')).rejects.toThrow(GatewayError);
  });
});
