/**
 * Bills of providers, compared with the cost that was counted while their models answered. A bill books only the
 * difference; paying it clears the debt. Both happen once per bill, however often they are requested.
 */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';
import { noSuch, refuseCursor } from '../keys/index.ts';
import { type Books, chartInUse } from '../ledger/index.ts';
import { type Payments, plainNumber } from '../payments/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import { type Database, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import type { ProviderBill } from './bill-rows.ts';
import {
  ACCRUED_COSTS,
  BILLS,
  BOOK_THAT_PAID,
  findBill,
  findBillNumbered,
  insertBill,
  LOCK_BILL,
  MARK_BILL_PAID,
  type NewBill,
  toBill,
} from './bill-rows.ts';
import { billPaid, providerBill } from './events.ts';
import { accountingReasons } from './reasons.ts';
import { settlementReasons } from './settlement-reasons.ts';

interface BillPayment {
  bank?: string | undefined;
  currency?: string | undefined;
  units?: string | undefined;
  /** What left the bank or the stock of the currency, in toman, without the fee. */
  cost: Money;
  fee: Money;
  number?: string | undefined;
  datedOn?: string | undefined;
}

export interface Bills {
  /** What the books have counted for a provider in these days, both included. */
  accrued(provider: string, firstDay: string, lastDay: string): Promise<Money>;
  enter(bill: NewBill, actor: string): Promise<ProviderBill>;
  pay(id: string, input: BillPayment, actor: string): Promise<ProviderBill>;
  list(
    filter: { provider?: string | undefined; state?: ProviderBill['state'] | undefined },
    page: PageRequest,
  ): Promise<Page<ProviderBill>>;
}

interface BillsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  ledger: Pick<Books, 'bookIn'>;
  payments: Pick<Payments, 'banks'>;
}

export function createBills(options: BillsOptions): Bills {
  const { db, clock } = options;
  const record = createChangeRecorder(options, 'provider');

  const accrued = async (tx: Queryable, provider: string, firstDay: string, lastDay: string) => {
    const row = await ACCRUED_COSTS.first(tx, [provider, firstDay, lastDay, HOME_ZONE]);
    return money(BigInt(row?.amount ?? 0));
  };

  return {
    accrued: (provider, firstDay, lastDay) => accrued(db, provider, firstDay, lastDay),
    async enter(given, actor) {
      const bill = checked(given);
      return db.transaction(async (tx) => {
        await lockUntilCommit(tx, `bills of ${bill.provider}`);
        const known = await findBillNumbered(tx, bill.provider, bill.number);
        if (known) return requireSame(known, bill);
        await requireChart(tx);
        const counted = await accrued(tx, bill.provider, bill.firstDay, bill.lastDay);
        const nowMs = clock.now();
        const id = makeId('bill', nowMs, options.randomBytes);
        await insertBill(tx, { ...bill, id, accrued: counted, createdBy: actor, createdAt: new Date(nowMs) });
        const paper = {
          id,
          number: bill.number,
          datedOn: bill.datedOn,
          createdBy: actor,
          note: bill.note ?? undefined,
        };
        const beyondCounted = money(bill.amount - counted);
        const document = providerBill(paper, { provider: bill.provider, beyondCounted });
        // A bill of exactly what was counted moves nothing.
        if (document.lines.length > 0) await options.ledger.bookIn(tx, document);
        const detail = { provider: bill.provider, number: bill.number, amount: toTomanText(bill.amount) };
        await record(tx, actor, 'provider.bill', id, detail);
        return (await findBill(tx, id)) as ProviderBill;
      });
    },
    async pay(id, input, actor) {
      const from =
        input.currency === undefined ? `bank:${await options.payments.banks.find(input.bank)}` : `fx:${input.currency}`;
      return db.transaction(async (tx) => {
        await LOCK_BILL.run(tx, [id]);
        const bill = (await findBill(tx, id)) ?? noSuch('provider bill', id);
        if (bill.state === 'paid') return requirePaidSo(bill, await paidFrom(tx, bill), from);
        await requireChart(tx);
        const { currency: unit, units, cost, fee, number, datedOn } = input;
        const foreign = unit === undefined || units === undefined ? {} : { foreign: { units, unit } };
        const document = billPaid(
          { id, number, datedOn, createdBy: actor },
          { provider: bill.provider, from, owed: bill.amount, fee, difference: money(cost - bill.amount), ...foreign },
        );
        await options.ledger.bookIn(tx, document);
        await MARK_BILL_PAID.run(tx, [id, document.id, actor, new Date(clock.now())]);
        const detail = { provider: bill.provider, number: bill.number, cost: toTomanText(cost) };
        await record(tx, actor, 'provider.bill_paid', id, detail);
        return (await findBill(tx, id)) as ProviderBill;
      });
    },
    async list({ provider, state }, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const found = await BILLS.rows(db, [provider ?? null, state ?? null, start.time, start.id, start.fetch]);
      return toPage(found.map(toBill), start, ({ createdAt, id }) => ({ time: createdAt, id }));
    },
  };
}

function checked(bill: NewBill): NewBill {
  const number = plainNumber(bill.number);
  if (number === null) throw invalidRequest('number', reasons.required('number'));
  if (bill.amount <= 0n) throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
  if (bill.firstDay > bill.lastDay) throw invalidRequest('last_day', accountingReasons.daysTurned);
  return { ...bill, number };
}

function requireSame(known: ProviderBill, bill: NewBill): ProviderBill {
  const isSame =
    known.amount === bill.amount &&
    known.firstDay === bill.firstDay &&
    known.lastDay === bill.lastDay &&
    known.unit === bill.unit;
  if (!isSame) throw new GatewayError('conflict', { param: 'number', reason: accountingReasons.billKnown });
  return known;
}

/** The book from which it was paid. */
async function paidFrom(tx: Queryable, { paymentId }: ProviderBill): Promise<string | undefined> {
  const row = await BOOK_THAT_PAID.first(tx, [paymentId]);
  return row?.credit;
}

function requirePaidSo(bill: ProviderBill, before: string | undefined, from: string): ProviderBill {
  if (before !== from) throw new GatewayError('conflict', { reason: accountingReasons.billPaidBefore });
  return bill;
}

async function requireChart(tx: Queryable): Promise<void> {
  if (!(await chartInUse(tx))) throw new GatewayError('conflict', { reason: settlementReasons.olderVersionRuns });
}
