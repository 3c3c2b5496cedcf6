/**
 * Random lives of orders on two replicas: returns that get lost, come twice, out of order or forged; gateways that are silent
 * or tell of another amount; processes that die at any step. Whatever happens, what was paid is credited once and nothing else.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import type { GatewayDirectory } from '../../src/payments/gateway-directory.ts';
import { createOrders, OrderSettlement, type Orders } from '../../src/payments/index.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { seeded } from '../admission/seeded.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { recordedLog } from '../services/silent-log.ts';
import { makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';
import { dyingDatabase, ProcessDied } from './dying-database.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

/** `npm run test:histories` is the long run. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 4_000);
const AT_ONCE = 500;
const ACCOUNTS = 50;
const HOUR = 3_600_000;

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  for (let n = 0; n < ACCOUNTS; n++) await makeAccount(temporary.db, `c${n}`);
});
afterAll(() => temporary.remove());

interface Replica {
  orders: Orders;
  settlement: OrderSettlement;
}

function openReplica(
  gateways: ScriptedGateway[],
  clock: HandClock,
  below: (n: number) => number,
  trouble: Trouble,
): Replica {
  const db = dyingDatabase(temporary.db, () => trouble.on && below(60) === 0);
  const { books } = openCashDesk({ db, clock });
  const find = async (id: string) => gateways.find(({ port }) => port.id === id)?.port;
  const log = recordedLog();
  const onCredited = async () => undefined;
  const settlement = new OrderSettlement({ db, clock, log, ledger: books, gatewayOf: find, onCredited });
  const randomBytes = (count: number) => Uint8Array.from({ length: count }, () => below(256));
  const directory = { find, evenIfOff: find } as unknown as GatewayDirectory;
  const orders = createOrders({
    db,
    clock,
    log,
    randomBytes,
    gateways: directory,
    settlement,
    vatBasisPoints: async () => 1000,
    onDispute: async () => undefined,
  });
  return { orders, settlement };
}

interface Trouble {
  on: boolean;
}

/** A death is the end of that step, not of the test. */
const survive = <T>(step: Promise<T>): Promise<T | undefined> =>
  step.catch((error: unknown): undefined => {
    if (!(error instanceof ProcessDied) && !String(error).includes('upstream_error')) throw error;
  });

async function live(
  n: number,
  gateway: ScriptedGateway,
  replicas: Replica[],
  below: (n: number) => number,
): Promise<void> {
  const any = () => replicas[below(replicas.length)] as Replica;
  const begun = await survive(
    any().orders.begin({
      accountId: `c${n % ACCOUNTS}`,
      gateway: gateway.port.id,
      amount: wholeToman(BigInt(1 + below(1_000_000))),
      createdBy: 'test',
      language: 'fa',
      origin: 'https://x.test',
    }),
  );
  // Somebody whose order died in the making never saw the gateway's page.
  const mine = begun?.externalId;
  if (!mine) return;
  const payment = gateway.payments.get(mine);
  const comeBack = () => survive(any().orders.returned(gateway.port.id, new Map([['payment', mine]])));
  const steps = [
    comeBack,
    comeBack,
    () => Promise.all([comeBack(), comeBack(), comeBack()]),
    async () => {
      if (payment && payment.paid === 'no') payment.paid = below(12) === 0 ? 'other-amount' : 'right';
    },
    () => survive(any().orders.returned(gateway.port.id, new Map([['payment', `forged-${n}`]]))),
    () =>
      survive(any().orders.returned(gateway.port.id === 'bank-a' ? 'bank-b' : 'bank-a', new Map([['payment', mine]]))),
    () => survive(any().settlement.checkDue(5)),
  ];
  for (let left = 1 + below(6); left > 0; left--) await (steps[below(steps.length)] as () => Promise<unknown>)();
}

it(`credits every paid order once and no other, over ${HISTORIES} histories`, {
  timeout: 60_000 + HISTORIES * 600,
}, async () => {
  const seed = 1405;
  const below = seeded(seed);
  const clock = new HandClock();
  const gateways = [new ScriptedGateway('bank-a'), new ScriptedGateway('bank-b')];
  const trouble = { on: true };
  for (const gateway of gateways)
    gateway.before = () => {
      if (trouble.on && below(50) === 0) throw new ProcessDied('asking');
      return trouble.on && below(8) === 0 ? 'silence' : 'answer';
    };
  const replicas = [0, 1].map(() => openReplica(gateways, clock, below, trouble));
  for (let from = 0; from < HISTORIES; from += AT_ONCE) {
    trouble.on = true;
    for (let n = from; n < from + AT_ONCE; n += 20) {
      const lives = Array.from({ length: 20 }, (_, at) =>
        live(n + at, gateways[below(2)] as ScriptedGateway, replicas, below),
      );
      await Promise.all(lives);
      clock.advance(below(4) * 60_000);
    }
    // Calm: leases end, gateways answer, the reconciler does the rest.
    trouble.on = false;
    for (let round = 0; round < 2; round++) {
      clock.advance(round === 0 ? 2 * 60_000 : 25 * HOUR);
      while ((await (replicas[round % 2] as Replica).settlement.checkDue(500)) > 0) {}
    }
  }
  const { credited, owed } = await compare(gateways);
  expect(credited.size).toBeGreaterThan(HISTORIES / 4);
  expect(credited, `seed ${seed}`).toEqual(owed);
  await proveBooks(openCashDesk({ db: temporary.db, clock }).books);
});

/** What the wallets got by order, and what the gateways know was paid. */
async function compare(gateways: ScriptedGateway[]) {
  const transfers = await temporary.db.query<{ id: string; amount: string }>(
    `select id, amount::text as amount from ledger_transfer where kind = 'top-up'`,
  );
  const credited = new Map(transfers.map(({ id, amount }) => [id, amount]));
  const orders = await temporary.db.query<{
    id: string;
    gateway: string;
    external_id: string | null;
    amount: string;
    state: string;
  }>('select id, gateway, external_id, amount::text as amount, state from payment_order');
  const owed = new Map<string, string>();
  for (const { id, gateway, external_id: externalId, amount, state } of orders) {
    const payment = gateways.find(({ port }) => port.id === gateway)?.payments.get(externalId ?? '');
    const paid = payment?.paid === 'right';
    expect(state === 'credited', `${id} is ${state}`).toBe(paid);
    if (paid) owed.set(`topup:${id}`, amount);
  }
  return { credited, owed };
}
