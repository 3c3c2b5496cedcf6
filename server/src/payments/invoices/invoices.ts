/** Issues invoices for credited orders, and credit notes for what was taken back. Always inside the transaction that moves the money. */
import type { Clock } from '../../core/clock.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { type Money, money } from '../../core/money.ts';
import { noSuch, refuseCursor } from '../../keys/index.ts';
import type { Database, Queryable } from '../../platform/db/index.ts';
import { type Page, type PageRequest, type PageStart, startOfPage, toPage } from '../../platform/db/pages.ts';
import { isWholeToman, taxOn } from '../amounts.ts';
import { isPlayed } from '../entries.ts';
import type { Order } from '../order.ts';
import { type InvoiceSeries, nextNumber, seriesOf } from './invoice-number.ts';
import { jalaliDate } from './jalali-date.ts';
import {
  type IdentityInput,
  identityJson,
  type LegalIdentity,
  readIdentity,
  storedIdentity,
} from './legal-identity.ts';

export interface InvoiceLine {
  text: { fa: string; en: string };
  quantity: number;
  amount: Money;
}

export interface Invoice {
  id: string;
  year: number;
  number: number;
  kind: 'invoice' | 'credit-note';
  accountId: string;
  orderId: string | null;
  corrects: string | null;
  seller: LegalIdentity;
  buyer: LegalIdentity;
  lines: InvoiceLine[];
  amount: Money;
  vat: Money;
  vatBasisPoints: number;
  issuedAt: Date;
}

export interface InvoiceSettings {
  seller: LegalIdentity | null;
  vatBasisPoints: number;
}

export type IssuedPaper = Pick<Invoice, 'id' | 'year' | 'number'>;

export interface Invoices {
  /** A gift code brings no money and gets no invoice. */
  issueFor(tx: Queryable, order: Order): Promise<void>;
  /** Undefined where there is no invoice to correct. */
  creditNoteFor(tx: Queryable, order: Order, portion: Pick<Order, 'amount' | 'vat'>): Promise<IssuedPaper | undefined>;
  get(id: string, accountId?: string): Promise<Invoice>;
  idOfOrder(orderId: string): Promise<string | null>;
  /** The invoice of each of these orders that has one. */
  idsOfOrders(orderIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The invoice of an order and its credit notes, oldest first. */
  ofOrder(orderId: string): Promise<Invoice[]>;
  list(filter: { accountId?: string | undefined }, page: PageRequest): Promise<Page<Invoice>>;
  identity(accountId: string): Promise<LegalIdentity | null>;
  setIdentity(accountId: string, input: IdentityInput): Promise<LegalIdentity>;
}

export interface InvoicesOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  /** Read inside the transaction. */
  settings(tx: Queryable): Promise<InvoiceSettings>;
}

const NOBODY: LegalIdentity = {
  kind: 'person',
  name: '',
  nationalId: null,
  economicCode: null,
  registrationNumber: null,
  postalCode: null,
  address: null,
  phone: null,
};

const COLUMNS = `id, year, number, kind, account_id, coalesce(order_id, part_of_order) as order_id, corrects, content, amount::text as amount, vat::text as vat,
  vat_basis_points, issued_at`;

export function createInvoices({ db, clock, randomBytes, settings }: InvoicesOptions): Invoices {
  async function issue(tx: Queryable, order: Order, paper: Paper): Promise<IssuedPaper> {
    const { kind, corrected, amount, vat } = paper;
    const { seller } = await settings(tx);
    const issuedAt = new Date(clock.now());
    const content = {
      seller: identityJson(seller ?? NOBODY),
      buyer: identityJson(await buyerOf(tx, order.accountId)),
      lines: [{ text: lineText(kind), quantity: unitsOf(amount), amount: String(amount) }],
    };
    const { year } = jalaliDate(issuedAt);
    const number = await nextNumber(tx, year, seriesFor(order, seller, corrected));
    const isPart = amount !== order.amount;
    const id = makeId('inv', issuedAt.getTime(), randomBytes);
    await tx.query(
      `insert into invoice (id, year, number, kind, account_id, order_id, part_of_order, corrects, content, amount, vat,
         vat_basis_points, issued_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
      [
        id,
        year,
        number,
        kind,
        order.accountId,
        isPart ? null : order.id,
        isPart ? order.id : null,
        corrected?.id ?? null,
        content,
        String(amount),
        String(vat),
        basisPointsOf(order),
        issuedAt,
      ],
    );
    return { id, year, number };
  }

  return {
    async issueFor(tx, order) {
      const { amount, vat } = order;
      if (order.gateway !== 'gift-code') await issue(tx, order, { kind: 'invoice', corrected: null, amount, vat });
    },
    async creditNoteFor(tx, order, { amount, vat }) {
      const corrected = await invoiceOf(tx, order.id);
      return corrected && issue(tx, order, { kind: 'credit-note', corrected, amount, vat });
    },
    async get(id, accountId) {
      const [row] = await db.query<InvoiceRow>(`select ${COLUMNS} from invoice where id = $1`, [id]);
      if (!row || (accountId !== undefined && row.account_id !== accountId)) return noSuch('invoice', id);
      return toInvoice(row);
    },
    idOfOrder: (orderId) => idOf(db, orderId),
    idsOfOrders: (orderIds) => idsOf(db, orderIds),
    ofOrder: (orderId) => papersOf(db, orderId),
    list: ({ accountId }, page) => listInvoices(db, accountId, startOfPage(page) ?? refuseCursor()),
    async identity(accountId) {
      const [row] = await db.query<{ identity: Json }>('select identity from legal_identity where account_id = $1', [
        accountId,
      ]);
      return storedIdentity(row?.identity);
    },
    async setIdentity(accountId, input) {
      const identity = readIdentity(input);
      await db.query(
        `insert into legal_identity (account_id, identity, updated_at) values ($1, $2, $3)
         on conflict (account_id) do update set identity = excluded.identity, updated_at = excluded.updated_at`,
        [accountId, identityJson(identity), new Date(clock.now())],
      );
      return identity;
    },
  };
}

async function listInvoices(db: Queryable, accountId: string | undefined, start: PageStart): Promise<Page<Invoice>> {
  const rows = await db.query<InvoiceRow>(
    `select ${COLUMNS} from invoice where ($1::text is null or account_id = $1)
       and ($2::timestamptz is null or (issued_at, id) < ($2, $3)) order by issued_at desc, id desc limit $4`,
    [accountId ?? null, start.time, start.id, start.fetch],
  );
  return toPage(rows.map(toInvoice), start, ({ issuedAt, id }) => ({ time: issuedAt, id }));
}

async function idOf(tx: Queryable, orderId: string): Promise<string | null> {
  return (await idsOf(tx, [orderId])).get(orderId) ?? null;
}

async function idsOf(db: Queryable, orderIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (orderIds.length === 0) return new Map();
  const rows = await db.query<{ order_id: string; id: string }>(
    `select order_id, id from invoice where order_id = any($1::text[]) and kind = 'invoice'`,
    [orderIds],
  );
  return new Map(rows.map((row) => [row.order_id, row.id]));
}

async function papersOf(db: Queryable, orderId: string): Promise<Invoice[]> {
  const rows = await db.query<InvoiceRow>(
    `select ${COLUMNS} from invoice where order_id = $1
     union all select ${COLUMNS} from invoice where part_of_order = $1 order by issued_at, id`,
    [orderId],
  );
  return rows.map(toInvoice);
}

interface CorrectedPaper {
  id: string;
  number: number;
}

interface Paper extends Pick<Invoice, 'kind' | 'amount' | 'vat'> {
  /** Of a credit note: the invoice. */
  corrected: CorrectedPaper | null;
}

/** What takes back a receipt is none of the official papers either, whoever the seller is by now. */
function seriesFor(order: Order, seller: LegalIdentity | null, corrected: CorrectedPaper | null): InvoiceSeries {
  if (isPlayed(order)) return 'specimen';
  return seller === null || (corrected !== null && seriesOf(corrected) === 'receipt') ? 'receipt' : 'official';
}

async function invoiceOf(tx: Queryable, orderId: string): Promise<CorrectedPaper | undefined> {
  const [paper] = await tx.query<CorrectedPaper>(
    `select id, number from invoice where order_id = $1 and kind = 'invoice'`,
    [orderId],
  );
  return paper;
}

export function invoiceTotal({ amount, vat }: Pick<Invoice, 'amount' | 'vat'>): Money {
  return money(amount + vat);
}

async function buyerOf(tx: Queryable, accountId: string): Promise<LegalIdentity> {
  const [row] = await tx.query<{ name: string; identity: Json | null }>(
    'select name, identity from account left join legal_identity on account_id = account.id where account.id = $1',
    [accountId],
  );
  return storedIdentity(row?.identity ?? undefined) ?? { ...NOBODY, name: row?.name ?? '' };
}

/** One toman of credit is one unit: a credit note can then name fewer of them at the same price, as the tax office asks. */
function unitsOf(amount: Money): number {
  return isWholeToman(amount) ? Number(amount / 1_000_000n) : 1;
}

/** The rate the order was made under: the smallest that gives its tax. */
function basisPointsOf({ amount, vat }: Order): number {
  if (vat === 0n) return 0;
  const near = Number((vat * 10_000n) / amount);
  for (const candidate of [near, near + 1, near - 1]) if (taxOn(amount, candidate) === vat) return candidate;
  return near;
}

function lineText(kind: Invoice['kind']) {
  return kind === 'invoice'
    ? { fa: 'اعتبار استفاده از سرویس مدل‌های هوش مصنوعی', en: 'Credit for the use of AI models' }
    : { fa: 'برگشت اعتبار استفاده از سرویس', en: 'Credit taken back' };
}

interface InvoiceRow {
  id: string;
  year: number;
  number: number;
  kind: Invoice['kind'];
  account_id: string;
  order_id: string | null;
  corrects: string | null;
  content: Json;
  amount: string;
  vat: string;
  vat_basis_points: number;
  issued_at: Date;
}

function toInvoice(row: InvoiceRow): Invoice {
  const content = isJsonObject(row.content) ? row.content : {};
  const lines = Array.isArray(content['lines']) ? content['lines'] : [];
  return {
    id: row.id,
    year: row.year,
    number: row.number,
    kind: row.kind,
    accountId: row.account_id,
    orderId: row.order_id,
    corrects: row.corrects,
    seller: storedIdentity(content['seller']) ?? NOBODY,
    buyer: storedIdentity(content['buyer']) ?? NOBODY,
    lines: lines.filter(isJsonObject).map((line) => ({
      text: line['text'] as unknown as InvoiceLine['text'],
      quantity: Number(line['quantity']),
      amount: money(BigInt(String(line['amount']))),
    })),
    amount: money(BigInt(row.amount)),
    vat: money(BigInt(row.vat)),
    vatBasisPoints: row.vat_basis_points,
    issuedAt: row.issued_at,
  };
}
