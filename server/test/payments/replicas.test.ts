/** Several processes and one order: returns at once on three replicas, and processes killed between paid and credited. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { wholeToman } from '../../src/payments/amounts.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { FakeZarinpal } from '../fake-bank/index.ts';
import { type BundledScript, bundleScript } from '../services/bundled-script.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';

const AMOUNT = wholeToman(90_000n);

describe.skipIf(postgresMissing())('orders on several replicas', () => {
  const zarinpal = new FakeZarinpal();
  const clock = new HandClock(systemClock.now());
  const databases: Database[] = [];
  const desks: CashDesk[] = [];
  let service: PostgresService;
  let databaseUrl: string;

  beforeAll(async () => {
    await zarinpal.open();
    service = await startPostgres();
    databaseUrl = await service.createDatabase();
    for (let n = 0; n < 3; n++) {
      const db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock });
      if (n === 0) await migrate(db);
      databases.push(db);
      desks.push(openCashDesk({ db, clock }));
    }
    const secrets = { merchant_id: '0'.repeat(36) };
    await desk(0).gateways.change(
      'zarinpal',
      { enabled: true, secrets, options: { base_url: zarinpal.origin } },
      'test',
    );
  }, 120_000);

  afterAll(async () => {
    await Promise.all(desks.map((one) => one.close()));
    await Promise.all(databases.map((db) => db.close()));
    await service?.remove();
    await zarinpal.close();
  });

  const desk = (n: number) => desks[n % desks.length] as CashDesk;

  async function begin(accountId: string) {
    await makeAccount(databases[0] as Database, accountId);
    const input = { accountId, gateway: 'zarinpal', amount: AMOUNT, createdBy: 'test' };
    return desk(0).orders.begin({ ...input, language: 'fa', origin: 'https://x.test' });
  }

  it('credits once for 200 returns at the same time', async () => {
    const order = await begin('crowd');
    zarinpal.pay(order.externalId ?? '');
    const fields = new Map([['Authority', order.externalId ?? '']]);
    await Promise.all(Array.from({ length: 200 }, (_, n) => desk(n).orders.returned('zarinpal', fields)));
    expect((await desk(1).books.wallet('crowd')).posted).toBe(AMOUNT);
    expect((await desk(1).orders.get(order.id)).state).toBe('credited');
    // One replica asks at a time: the crowd of returns does not reach the gateway.
    expect(zarinpal.calls.filter(({ path }) => path.endsWith('/verify.json')).length).toBeLessThan(10);
    await proveBooks(desk(2).books);
  });

  it('credits once when the process is killed between paid and credited, 30 times', { timeout: 240_000 }, async () => {
    const script = await bundleScript(fileURLToPath(new URL('./killed-desk.script.ts', import.meta.url)), []);
    const orders = [];
    for (let n = 0; n < 30; n++) orders.push(await begin(`killed-${n}`));
    for (const { externalId } of orders) zarinpal.pay(externalId ?? '');
    const points = ['before-transaction', 'inside-transaction', 'after-commit'];
    for (let n = 0; n < orders.length; n += 3) {
      const three = orders.slice(n, n + 3).map(({ id }, at) => killed(script, databaseUrl, id, points[at] ?? ''));
      expect(await Promise.all(three)).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL']);
    }
    await script.remove();
    // Their turns, taken by the real clock however long all this took, end; whoever is left settles.
    clock.advance(systemClock.now() - clock.now() + 120_000);
    await Promise.all(desks.map((one) => one.settlement.checkDue(50)));
    for (const { id, accountId } of orders) {
      expect((await desk(0).orders.get(id)).state).toBe('credited');
      expect((await desk(0).books.wallet(accountId)).posted, accountId).toBe(AMOUNT);
    }
    await proveBooks(desk(0).books);
  });
});

async function killed(script: BundledScript, databaseUrl: string, orderId: string, point: string) {
  const [, signal] = (await once(script.start(databaseUrl, orderId, point), 'exit')) as [number | null, string | null];
  return signal;
}
