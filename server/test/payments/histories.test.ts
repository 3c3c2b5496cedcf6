/**
 * Random lives of orders on two replicas: returns that get lost, come twice, out of order or forged; gateways that are silent
 * or tell of another amount; processes that die at any step. Whatever happens, what was paid is credited once and nothing else,
 * and what is refunded goes back once: credit is never gone without its money sent or a refund that staff can see.
 * @tier services
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import { wholeToman } from '../../src/payments/amounts.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { seeded } from '../admission/seeded.ts';
import { amount } from '../harness/long.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';
import { dyingDatabase, ProcessDied } from './dying-database.ts';
import { ScriptedGateway } from './scripted-gateway.ts';

/** `npm run test:long` lives all of them. */
const HISTORIES = Number(process.env['HISTORIES'] ?? amount(200, 10_000));
const AT_ONCE = 500;
const ACCOUNTS = 50;
const HOUR = 3_600_000;

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  for (let n = 0; n < ACCOUNTS; n++) await makeAccount(temporary.db, `c${n}`);
});
afterAll(() => temporary.remove());

function openReplica(
  gateways: ScriptedGateway[],
  clock: HandClock,
  below: (n: number) => number,
  trouble: Trouble,
): CashDesk {
  const db = dyingDatabase(temporary.db, () => trouble.on && below(60) === 0);
  const scripted = async (id: string) => gateways.find(({ port }) => port.id === id)?.port;
  const random = (count: number) => Uint8Array.from({ length: count }, () => below(256));
  return openCashDesk({ db, clock, random, scripted, vatBasisPoints: 1000 });
}

interface Trouble {
  on: boolean;
}

/** A death is the end of that step, not of the test. */
const survive = <T>(step: Promise<T>): Promise<T | undefined> =>
  step.catch((error: unknown): undefined => {
    const refused = error instanceof GatewayError && ['upstream_error', 'conflict'].includes(error.code);
    if (!(error instanceof ProcessDied) && !refused) throw error;
  });

/** Orders whose money staff sent by hand. */
const byHand = new Set<string>();

async function refund(desk: CashDesk, id: string, below: (n: number) => number): Promise<void> {
  const hand = below(6) === 0;
  await survive(desk.refunds.refund(id, { reason: 'wants it back', byHand: hand }, 'finance'));
  if (!hand) return;
  // From the audit log: a process that died after its commit did not hear that it was done.
  const done = await temporary.db.query(
    `select from admin_event where action = 'payment.refund' and detail ->> 'order' = $1 and (detail ->> 'by_hand')::boolean`,
    [id],
  );
  if (done.length > 0) byHand.add(id);
}

/** Staff look at the gateway, and say what they saw. */
async function settleByHand(desk: CashDesk, gateways: ScriptedGateway[]): Promise<void> {
  const waiting = await temporary.db.query<{ id: string }>(
    `select id from payment_order where refund_state in ('refused', 'unknown')`,
  );
  const sent = timesSentBack(gateways);
  for (const { id } of waiting)
    await survive(desk.refunds.settle(id, { sent: sent.has(id), note: 'looked at the gateway' }, 'finance'));
}

/** By order. */
function timesSentBack(gateways: ScriptedGateway[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const name of gateways.flatMap(({ sentBack }) => sentBack)) {
    const [order = ''] = name.split(':');
    times.set(order, (times.get(order) ?? 0) + 1);
  }
  return times;
}

async function live(
  n: number,
  gateway: ScriptedGateway,
  replicas: CashDesk[],
  below: (n: number) => number,
): Promise<void> {
  const any = () => replicas[below(replicas.length)] as CashDesk;
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
      if (payment) payment.refundable = below(5) > 0;
    },
    () => survive(any().orders.returned(gateway.port.id, new Map([['payment', `forged-${n}`]]))),
    () =>
      survive(any().orders.returned(gateway.port.id === 'bank-a' ? 'bank-b' : 'bank-a', new Map([['payment', mine]]))),
    () => survive(any().settlement.checkDue(5)),
  ];
  for (let left = 1 + below(6); left > 0; left--) await (steps[below(steps.length)] as () => Promise<unknown>)();
  if (payment?.paid !== 'right') return;
  const endings = [
    comeBack,
    () => survive(any().settlement.checkDue(5)),
    () => refund(any(), begun.id, below),
    () => Promise.all([refund(any(), begun.id, below), refund(any(), begun.id, below), comeBack()]),
  ];
  for (let left = 1 + below(4); left > 0; left--) await (endings[below(endings.length)] as () => Promise<unknown>)();
}

it(`credits every paid order once and no other, over ${HISTORIES} histories`, {
  timeout: 60_000 + HISTORIES * 600,
}, async () => {
  const seed = 1405;
  const below = seeded(seed);
  const clock = new HandClock();
  const gateways = [new ScriptedGateway('bank-a'), new ScriptedGateway('bank-b', false)];
  const trouble = { on: true };
  const faulty = () => {
    if (trouble.on && below(50) === 0) throw new ProcessDied('asking');
    return trouble.on && below(8) === 0 ? 'silence' : 'answer';
  };
  for (const gateway of gateways) gateway.before = gateway.after = faulty;
  const replicas = [0, 1].map(() => openReplica(gateways, clock, below, trouble));
  for (let from = 0; from < HISTORIES; from += AT_ONCE) {
    trouble.on = true;
    for (let n = from; n < Math.min(from + AT_ONCE, HISTORIES); n += 20) {
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
      while ((await (replicas[round % 2] as CashDesk).settlement.checkDue(500)) > 0) {}
    }
    await requireVisible(gateways);
    await settleByHand(replicas[0] as CashDesk, gateways);
  }
  const { credited, owed, refunded } = await compare(gateways);
  expect(refunded).toBeGreaterThan(HISTORIES / 40);
  expect(credited.size).toBeGreaterThan(HISTORIES / 4);
  expect(credited, `seed ${seed}`).toEqual(owed);
  await proveBooks(openCashDesk({ db: temporary.db, clock }).books);
});

/** Credit that is gone without its money must be a refund that is still open. */
async function requireVisible(gateways: ScriptedGateway[]): Promise<void> {
  const taken = await temporary.db.query<{ id: string; refund_state: string | null }>(
    `select payment_order.id, refund_state from payment_order
     join (select split_part(id, ':', 2) as id, sum(case when debit like 'wallet:%' then amount else -amount end) as amount
             from ledger_transfer where kind = 'payback' group by 1) as moved using (id) where moved.amount > 0`,
  );
  const sent = timesSentBack(gateways);
  for (const { id, refund_state: state } of taken)
    if (!sent.has(id) && !byHand.has(id)) expect(['refused', 'unknown'], id).toContain(state);
}

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
    refund_state: string | null;
  }>('select id, gateway, external_id, amount::text as amount, state, refund_state from payment_order');
  const owed = new Map<string, string>();
  const back = timesSentBack(gateways);
  let refunded = 0;
  for (const { id, gateway, external_id: externalId, amount, state, refund_state: refundState } of orders) {
    const payment = gateways.find(({ port }) => port.id === gateway)?.payments.get(externalId ?? '');
    const paid = payment?.paid === 'right';
    expect(state === 'credited' || state === 'refunded', `${id} is ${state}`).toBe(paid);
    if (paid) owed.set(`topup:${id}`, amount);
    // The money went back once where the credit was taken, and never where it was not.
    const sent = (back.get(id) ?? 0) + (byHand.has(id) ? 1 : 0);
    expect([sent, refundState], id).toEqual(state === 'refunded' ? [1, 'sent'] : [0, null]);
    if (state === 'refunded') refunded++;
  }
  return { credited, owed, refunded };
}
