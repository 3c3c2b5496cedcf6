/**
 * Issues invoices for credited orders, and credit notes for what was refunded; always inside the transaction that moves
 * the money.
 */

import type { Clock } from '../../core/clock.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import { type Money, money } from '../../core/money.ts';
import { noSuch, refuseCursor } from '../../keys/index.ts';
import type { Database, Queryable } from '../../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage } from '../../platform/db/pages.ts';
import { isWholeToman, taxOn } from '../amounts.ts';
import { isPlayed } from '../entries.ts';
import type { Order } from '../order.ts';
import { type InvoiceSeries, nextNumber, seriesOf } from './invoice-number.ts';
import type { Invoice } from './invoice-rows.ts';
import {
  buyerOf,
  type CorrectedPaper,
  INSERT_INVOICE,
  INVOICE,
  invoiceIdsOf,
  invoiceToCorrect,
  LEGAL_IDENTITY,
  listInvoices,
  NOBODY,
  papersOf,
  SET_LEGAL_IDENTITY,
  toInvoice,
} from './invoice-rows.ts';
import { jalaliDate } from './jalali-date.ts';
import {
  type IdentityInput,
  identityJson,
  type LegalIdentity,
  readIdentity,
  storedIdentity,
} from './legal-identity.ts';

export interface InvoiceSettings {
  seller: LegalIdentity | null;
  vatBasisPoints: number;
}

export type IssuedPaper = Pick<Invoice, 'id' | 'year' | 'number'>;

export interface Invoices {
  /** Issues no invoice for a gift code, which brings no money. */
  issueFor(tx: Queryable, order: Order): Promise<void>;
  /** Returns undefined where there is no invoice to correct. */
  creditNoteFor(tx: Queryable, order: Order, portion: Pick<Order, 'amount' | 'vat'>): Promise<IssuedPaper | undefined>;
  get(id: string, accountId?: string): Promise<Invoice>;
  idOfOrder(orderId: string): Promise<string | null>;
  /** The invoices of those orders that have one. */
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
    await INSERT_INVOICE.run(tx, [
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
    ]);
    return { id, year, number };
  }

  return {
    async issueFor(tx, order) {
      const { amount, vat } = order;
      if (order.gateway !== 'gift-code') await issue(tx, order, { kind: 'invoice', corrected: null, amount, vat });
    },
    async creditNoteFor(tx, order, { amount, vat }) {
      const corrected = await invoiceToCorrect(tx, order.id);
      return corrected && issue(tx, order, { kind: 'credit-note', corrected, amount, vat });
    },
    async get(id, accountId) {
      const row = await INVOICE.first(db, [id]);
      if (!row || (accountId !== undefined && row.account_id !== accountId)) return noSuch('invoice', id);
      return toInvoice(row);
    },
    idOfOrder: (orderId) => idOf(db, orderId),
    idsOfOrders: (orderIds) => invoiceIdsOf(db, orderIds),
    ofOrder: (orderId) => papersOf(db, orderId),
    list: ({ accountId }, page) => listInvoices(db, accountId, startOfPage(page) ?? refuseCursor()),
    async identity(accountId) {
      const row = await LEGAL_IDENTITY.first(db, [accountId]);
      return storedIdentity(row?.identity);
    },
    async setIdentity(accountId, input) {
      const identity = readIdentity(input);
      await SET_LEGAL_IDENTITY.run(db, [accountId, identityJson(identity), new Date(clock.now())]);
      return identity;
    },
  };
}

async function idOf(tx: Queryable, orderId: string): Promise<string | null> {
  return (await invoiceIdsOf(tx, [orderId])).get(orderId) ?? null;
}

interface Paper extends Pick<Invoice, 'kind' | 'amount' | 'vat'> {
  /** On a credit note: the corrected invoice. */
  corrected: CorrectedPaper | null;
}

/** The credit note for a receipt is not official either, whoever the seller is by now. */
function seriesFor(order: Order, seller: LegalIdentity | null, corrected: CorrectedPaper | null): InvoiceSeries {
  if (isPlayed(order)) return 'specimen';
  return seller === null || (corrected !== null && seriesOf(corrected) === 'receipt') ? 'receipt' : 'official';
}

export function invoiceTotal({ amount, vat }: Pick<Invoice, 'amount' | 'vat'>): Money {
  return money(amount + vat);
}

/** One toman of credit is one unit: a credit note can then name fewer of them at the same price, as the tax office asks. */
function unitsOf(amount: Money): number {
  return isWholeToman(amount) ? Number(amount / 1_000_000n) : 1;
}

/** The tax rate of the order: the lowest that gives its tax. */
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
