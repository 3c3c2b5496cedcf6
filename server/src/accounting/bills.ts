/**
 * Bills of providers, beside what was counted while their models answered. A bill books what it is beyond that; paying it empties what
 * is owed. Both happen once per bill, however often they are asked for.
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
import { billPaid, providerBill } from './events.ts';
import { COUNTED_COSTS } from './open-items.ts';
import { accountingReasons } from './reasons.ts';
import { settlementReasons } from './settlement-reasons.ts';

export interface ProviderBill {
  id: string;
  provider: string;
  number: string;
  datedOn: string;
  firstDay: string;
  lastDay: string;
  unit: string;
  units: string;
  amount: Money;
  /** What the books had counted for these days. */
  accrued: Money;
  state: 'open' | 'paid';
  paymentId: string | null;
  paidBy: string | null;
  paidAt: Date | null;
  note: string | null;
  createdBy: string;
  createdAt: Date;
}

type NewBill = Pick<
  ProviderBill,
  'provider' | 'number' | 'datedOn' | 'firstDay' | 'lastDay' | 'unit' | 'units' | 'amount' | 'note'
>;

interface BillPaymentWish {
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
  pay(id: string, wish: BillPaymentWish, actor: string): Promise<ProviderBill>;
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

const COLUMNS = `id, provider, number, to_char(dated_on, 'YYYY-MM-DD') as "datedOn", to_char(first_day, 'YYYY-MM-DD') as "firstDay",
  to_char(last_day, 'YYYY-MM-DD') as "lastDay", unit, trim_scale(units)::text as units, amount::text as amount,
  accrued::text as accrued, state, payment_id as "paymentId", paid_by as "paidBy", paid_at as "paidAt", note,
  created_by as "createdBy", created_at as "createdAt"`;

type Row = Omit<ProviderBill, 'amount' | 'accrued'> & { amount: string; accrued: string };
const toBill = (row: Row): ProviderBill => ({
  ...row,
  amount: money(BigInt(row.amount)),
  accrued: money(BigInt(row.accrued)),
});

/** Costs as they were counted, by the index over kinds; days are those of Tehran. */
const ACCRUED = `
select coalesce(sum(case when credit = 'provider:' || $1 then amount else -amount end), 0)::text as amount from ledger_transfer
where kind in ${COUNTED_COSTS} and 'provider:' || $1 in (debit, credit)
  and created_at >= ($2::date)::timestamp at time zone $4 and created_at < ($3::date + 1)::timestamp at time zone $4`;

export function createBills(options: BillsOptions): Bills {
  const { db, clock } = options;
  const record = createChangeRecorder(options, 'provider');

  const accrued = async (tx: Queryable, provider: string, firstDay: string, lastDay: string) => {
    const [row] = await tx.query<{ amount: string }>(ACCRUED, [provider, firstDay, lastDay, HOME_ZONE]);
    return money(BigInt(row?.amount ?? 0));
  };

  return {
    accrued: (provider, firstDay, lastDay) => accrued(db, provider, firstDay, lastDay),
    async enter(given, actor) {
      const bill = checked(given);
      return db.transaction(async (tx) => {
        await lockUntilCommit(tx, `bills of ${bill.provider}`);
        const known = await findBy(tx, 'provider = $1 and number = $2', [bill.provider, bill.number]);
        if (known) return requireSame(known, bill);
        await requireChart(tx);
        const counted = await accrued(tx, bill.provider, bill.firstDay, bill.lastDay);
        const nowMs = clock.now();
        const id = makeId('bill', nowMs, options.randomBytes);
        await insert(tx, { ...bill, id, accrued: counted, createdBy: actor, createdAt: new Date(nowMs) });
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
        return (await findBy(tx, 'id = $1', [id])) as ProviderBill;
      });
    },
    async pay(id, wish, actor) {
      const from =
        wish.currency === undefined ? `bank:${await options.payments.banks.find(wish.bank)}` : `fx:${wish.currency}`;
      return db.transaction(async (tx) => {
        await tx.query('select from provider_bill where id = $1 for update', [id]);
        const bill = (await findBy(tx, 'id = $1', [id])) ?? noSuch('provider bill', id);
        if (bill.state === 'paid') return requirePaidSo(bill, await paidFrom(tx, bill), from);
        await requireChart(tx);
        const { currency: unit, units, cost, fee, number, datedOn } = wish;
        const foreign = unit === undefined || units === undefined ? {} : { foreign: { units, unit } };
        const document = billPaid(
          { id, number, datedOn, createdBy: actor },
          { provider: bill.provider, from, owed: bill.amount, fee, difference: money(cost - bill.amount), ...foreign },
        );
        await options.ledger.bookIn(tx, document);
        await tx.query(
          `update provider_bill set state = 'paid', payment_id = $2, paid_by = $3, paid_at = $4 where id = $1`,
          [id, document.id, actor, new Date(clock.now())],
        );
        const detail = { provider: bill.provider, number: bill.number, cost: toTomanText(cost) };
        await record(tx, actor, 'provider.bill_paid', id, detail);
        return (await findBy(tx, 'id = $1', [id])) as ProviderBill;
      });
    },
    async list({ provider, state }, page) {
      const start = startOfPage(page) ?? refuseCursor();
      const found = await db.query<Row>(
        `select ${COLUMNS} from provider_bill
         where ($1::text is null or provider = $1) and ($2::text is null or state = $2)
           and ($3::timestamptz is null or (created_at, id) < ($3, $4))
         order by created_at desc, id desc limit $5`,
        [provider ?? null, state ?? null, start.time, start.id, start.fetch],
      );
      return toPage(found.map(toBill), start, ({ createdAt, id }) => ({ time: createdAt, id }));
    },
  };
}

async function findBy(tx: Queryable, where: string, values: readonly string[]): Promise<ProviderBill | undefined> {
  const [row] = await tx.query<Row>(`select ${COLUMNS} from provider_bill where ${where}`, values);
  return row && toBill(row);
}

async function insert(
  tx: Queryable,
  bill: NewBill & Pick<ProviderBill, 'id' | 'accrued' | 'createdBy' | 'createdAt'>,
): Promise<void> {
  await tx.query(
    `insert into provider_bill (id, provider, number, dated_on, first_day, last_day, unit, units, amount, accrued, state, note, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', $11, $12, $13)`,
    [
      bill.id,
      bill.provider,
      bill.number,
      bill.datedOn,
      bill.firstDay,
      bill.lastDay,
      bill.unit,
      bill.units,
      String(bill.amount),
      String(bill.accrued),
      bill.note,
      bill.createdBy,
      bill.createdAt,
    ],
  );
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

/** The book that paid it. */
async function paidFrom(tx: Queryable, { paymentId }: ProviderBill): Promise<string | undefined> {
  const [row] = await tx.query<{ credit: string }>(
    'select credit from ledger_transfer where document_id = $1 limit 1',
    [paymentId],
  );
  return row?.credit;
}

function requirePaidSo(bill: ProviderBill, before: string | undefined, from: string): ProviderBill {
  if (before !== from) throw new GatewayError('conflict', { reason: accountingReasons.billPaidBefore });
  return bill;
}

async function requireChart(tx: Queryable): Promise<void> {
  if (!(await chartInUse(tx))) throw new GatewayError('conflict', { reason: settlementReasons.olderVersionRuns });
}
