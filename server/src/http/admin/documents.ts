/** `/api/admin/documents`: documents that staff book by hand, each of a kind whose lines accounting knows. */

import {
  attachToDocument,
  bookDocument,
  getDocument,
  getDocumentFile,
  listDocuments,
} from '@dargah/api/admin/documents.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { BodyOf } from '@dargah/api/describe-route.ts';
import * as accounting from '../../accounting/index.ts';
import type { AccountService } from '../../accounts/index.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, parseToman, toTomanText, ZERO } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { Books, NewDocument, StoredDocument } from '../../ledger/index.ts';
import type { Payments } from '../../payments/index.ts';
import type { RecordChange } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { Register } from '../routes/register.ts';
import { dateInput } from '../time-input.ts';
import { attachmentAnswer } from '../views/ticket-views.ts';

export interface DocumentServices {
  ledger: Pick<Books, 'book' | 'document'>;
  db: Queryable;
  accounts: Pick<AccountService, 'get'>;
  payments: Pick<Payments, 'banks' | 'gateways'>;
  /** Writes the audit log, inside the transaction of the entry. */
  record: RecordChange;
  hand: Pick<accounting.CreditByHand, 'count'>;
  files: accounting.DocumentFiles;
}

type Body = BodyOf<typeof bookDocument>;

export function documents(register: Register, services: DocumentServices): void {
  const read = async (id: string) => view(await services.ledger.document(id), await services.files.of(id));
  register(bookDocument, async ({ body, actor }) => {
    const document = await documentOf(services, body, actor);
    await services.ledger.book(document, async (tx) => {
      const { id, kind, number, note, lines } = document;
      await accounting.requireCovered(tx, kind);
      if (body.entry !== undefined) await accounting.requireEntry(tx, body.entry, lines[0]?.amount ?? ZERO, id);
      const amount = toTomanText(lines[0]?.amount ?? ZERO);
      await services.record(tx, actor, 'document.book', id, {
        kind,
        amount,
        number: number ?? null,
        note: note ?? null,
      });
      // Money becomes somebody's credit, so it counts like a receipt.
      const { account_id: accountId } = body;
      if (body.kind === 'matched' && accountId !== undefined)
        await services.hand.count(tx, actor, { id, kind: 'matched', accountId, amount: amountOf(body, 'amount') });
    });
    return read(document.id);
  });
  register(listDocuments, async ({ query }) => {
    const { kind, party, number, from, to, ...place } = query;
    const span = { from: dateInput(from, 'from'), to: dateInput(to, 'to') };
    const { items, next } = await accounting.listDocuments(services.db, { kind, party, number, ...span }, place);
    return page(items.map(rowView), next);
  });
  register(getDocument, ({ params }) => read(params.id));
  register(attachToDocument, async ({ params, body, actor }) => {
    await services.files.attach(params.id, body, actor);
    return read(params.id);
  });
  register(getDocumentFile, async ({ params }) => attachmentAnswer(await services.files.read(params.id, params.file)));
}

async function documentOf(services: DocumentServices, body: Body, createdBy: string): Promise<NewDocument> {
  const { id, note, dated_on: datedOn } = body;
  const number = body.kind === 'documented' ? (body.entry ?? body.number) : body.number;
  const paper = { id, number, note, datedOn, createdBy };
  const sums = {
    amount: amountOf(body, 'amount'),
    fee: amountOf(body, 'fee'),
    vat: amountOf(body, 'vat'),
    setOff: amountOf(body, 'set_off'),
    difference: amountOf(body, 'difference'),
  };
  const { amount, fee, vat } = sums;
  const bank = () => services.payments.banks.find(body.bank);
  const gateway = async () => {
    const id = given(body, 'gateway');
    if (!(await services.payments.gateways.list()).some((one) => one.id === id))
      throw invalidRequest('gateway', reasons.mustBe('gateway', expected.offeredGateway));
    return id;
  };
  if (body.kind !== 'bill' && body.kind !== 'owner-money' && amount <= 0n)
    throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
  switch (body.kind) {
    case 'settlement': {
      const at = { gateway: await gateway(), bank: await bank() };
      return accounting.settlement(paper, { ...at, arrived: amount, fee, feeVat: vat });
    }
    case 'unmatched': {
      const at = body.gateway === undefined ? `bank:${await bank()}` : `gateway:${await gateway()}`;
      return accounting.unmatched(paper, { at, amount });
    }
    case 'matched': {
      const account = await services.accounts.get(given(body, 'account_id'));
      return accounting.matched(paper, { accountId: account.id, amount, vat });
    }
    case 'documented':
      if (body.as === 'gift') return accounting.documented(paper, { as: 'promotions', amount });
      if (body.as === 'correction') return accounting.documented(paper, { as: 'corrections', amount });
      return accounting.documented(paper, { as: `bank:${await bank()}`, amount });
    case 'bill':
      return accounting.providerBill(paper, { provider: given(body, 'provider'), beyondCounted: amount });
    case 'currency': {
      const bought = { currency: given(body, 'currency'), units: given(body, 'units') };
      return accounting.currencyBought(paper, { ...bought, bank: await bank(), amount });
    }
    case 'owner-money':
      return accounting.ownerMoney(paper, { bank: await bank(), amount });
    case 'bill-payment':
      return billPayment(body, paper, sums, bank);
    case 'tax-payment':
      return accounting.taxPaid(paper, { setOff: sums.setOff, paid: amount, bank: await bank() });
  }
}

async function billPayment(
  body: Body,
  paper: accounting.Paper,
  { amount, fee, difference }: { amount: Money; fee: Money; difference: Money },
  bank: () => Promise<string>,
): Promise<NewDocument> {
  const owed = { provider: given(body, 'provider'), owed: amount, fee, difference };
  const { currency: unit } = body;
  if (unit === undefined) return accounting.billPaid(paper, { ...owed, from: `bank:${await bank()}` });
  const foreign = { units: given(body, 'units'), unit };
  return accounting.billPaid(paper, { ...owed, from: `fx:${unit}`, foreign });
}

function amountOf(body: Body, field: 'amount' | 'fee' | 'vat' | 'set_off' | 'difference'): Money {
  const written = body[field];
  if (written === undefined) return ZERO;
  const amount = parseToman(written);
  if (amount === undefined || (amount < 0n && field !== 'amount' && field !== 'difference'))
    throw invalidRequest(field, reasons.mustBe(field, expected.tomanFromZero));
  return amount;
}

function given(body: Body, field: 'gateway' | 'provider' | 'account_id' | 'currency' | 'units'): string {
  const value = body[field];
  if (value === undefined) throw invalidRequest(field, reasons.required(field));
  return value;
}

function view(document: StoredDocument, files: accounting.DocumentFile[]) {
  return {
    object: 'document' as const,
    id: document.id,
    kind: document.kind,
    dated_on: document.datedOn,
    number: document.number,
    party: document.party,
    note: document.note,
    created_by: document.createdBy,
    approved_by: document.approvedBy,
    reverses: document.reverses,
    created_at: document.createdAt.toISOString(),
    lines: document.lines.map(({ amount, ...line }) => ({ ...line, amount: toTomanText(amount) })),
    files: files.map(({ createdBy, createdAt, ...file }) => ({
      ...file,
      created_by: createdBy,
      created_at: createdAt.toISOString(),
    })),
  };
}

function rowView(row: accounting.DocumentRow) {
  return {
    object: 'document' as const,
    id: row.id,
    kind: row.kind,
    dated_on: row.datedOn,
    number: row.number,
    party: row.party,
    note: row.note,
    amount: toTomanText(row.amount),
    created_by: row.createdBy,
    created_by_name: row.createdByName,
    created_at: row.createdAt.toISOString(),
  };
}
