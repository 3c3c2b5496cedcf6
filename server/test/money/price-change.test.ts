/** A price changes while a request runs: it is charged by the price it was admitted under, the next one by the new price. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGate, type FakeVendor, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { ask, exactAnswer } from './fixed-price.ts';
import { expectAddsUp, receiptOf } from './receipts.ts';

describe.skipIf(postgresMissing())('a price that changes', () => {
  let postgres: PostgresService;
  let vendor: FakeVendor;
  let env: Record<string, string>;
  const gateways: TestGateway[] = [];
  beforeAll(async () => {
    [postgres, vendor] = await Promise.all([startPostgres(), startFakeVendor()]);
    env = { DATABASE_URL: await postgres.createDatabase() };
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop();
    await vendor?.close();
    await postgres?.remove();
  });

  /** A replica with this price in its configuration file, as the next one of a rolling update has it. */
  async function startWithPrice(price: object): Promise<TestGateway> {
    const { models } = defaultConfig(vendor) as { models: { id: string }[] };
    const config = { models: models.map((model) => (model.id === 'mock/chat' ? { ...model, price } : model)) };
    const gateway = await startGateway({ vendor, env, config });
    gateways.push(gateway);
    return gateway;
  }

  it('while a request runs', async () => {
    const old = await startWithPrice({ input: 15_000, output: 60_000 });
    const gate = createGate();
    vendor.next(faults.stallAfter(3, gate, { text: 'hello yourself', usage: { input: 8, output: 16 } }));
    const running = await ask(old.origin, old.key, { stream: true, stream_options: { include_usage: true } });
    await startWithPrice({ input: 30_000, output: 120_000 });
    vendor.always(exactAnswer());
    // The running replica has heard of it.
    const next = await eventually(async () => {
      const response = await ask(old.origin, old.key);
      expect(response.headers.get('x-svc-cost')).toBe('2.16');
      return response;
    });
    gate.open();
    expect(await running.text()).toContain('"cost":1.08');
    const [before, after] = [await receiptOf(old, running), await receiptOf(old, next)];
    expect(before).toMatchObject({ state: 'completed', cost: '1.08' });
    expect(after).toMatchObject({ state: 'completed', cost: '2.16' });
    expect(before.price.version).not.toBe(after.price.version);
    for (const receipt of [before, after]) expectAddsUp(receipt);
  });
});
