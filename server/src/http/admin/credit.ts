/** `/api/admin/accounts/{id}/transfers` and `/api/admin/transfers`: credit comes and goes as transfers, each with an id that makes repeating it harmless. */

import { listAllTransfers, listTransfers, transferCredit } from '@dargah/api/admin/credit.ts';
import { page } from '@dargah/api/building-blocks.ts';
import { type CreditByHand, type HandAct, handAct } from '../../accounting/index.ts';
import type { AccountService } from '../../accounts/index.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { BookedTransfer, Books, Transfer, TransferSearch } from '../../ledger/index.ts';
import { plainNumber } from '../../payments/index.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { httpReasons } from '../reasons.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';
import { timeInput } from '../time-input.ts';
import { type ListOfStaff, listPage, namesOf, tomanInput } from './staff-list.ts';

export interface CreditServices {
  accounts: AccountService;
  ledger: Books;
  spending: Spending;
  hand: CreditByHand;
  db: Queryable;
  transferSearch: TransferSearch;
}

export function credit(register: Register, services: CreditServices): ListOfStaff<typeof listAllTransfers> {
  const { accounts, ledger, spending, hand } = services;
  register(transferCredit, async ({ params, body, actor }) => {
    const account = await accounts.get(params.id);
    const amount = parseToman(body.amount);
    if (amount === undefined || amount === 0n)
      throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanNotZero));
    const { id, kind, note, request_id: requestId } = body;
    if (OWN_ID.test(id)) throw invalidRequest('id', httpReasons.ownTransferId);
    if (kind !== 'top-up' && (note ?? '').trim().length < MIN_REASON_CHARS)
      throw invalidRequest('note', httpReasons.reasonMissing);
    if (amount < 0n && kind !== 'adjustment')
      throw invalidRequest('amount', reasons.mustBe('amount', expected.aboveZero));
    const common = { accountId: account.id, amount };
    // An entry that 0.1.0 booked under this id is not booked again as a receipt.
    const isOld = kind === 'top-up' && (await ledger.isBooked({ id, kind, ...common }));
    if (!isOld) await hand.give(actOf({ id, kind, note, requestId, ...common }), actor);
    const { posted } = await ledger.wallet(account.id);
    return {
      object: 'transfer' as const,
      id,
      kind,
      account_id: account.id,
      amount: toTomanText(amount),
      request_id: requestId ?? null,
      note: note ?? null,
      balance: toTomanText(posted),
    };
  });
  register(listTransfers, async ({ params, query }) => {
    const { id } = await accounts.get(params.id);
    const { after, limit = 50 } = query;
    const { entries, next } = await ledger.history(id, { limit, ...(after === undefined ? {} : { before: after }) });
    return { ...page(entries.map(transferView), next), wallet: await spending.wallet(id) };
  });
  const list = transferList(services);
  register(listAllTransfers, ({ query, who }) => list.read(query, { ...who, use: 'list' }));
  return list;
}

function transferList({ db, transferSearch }: CreditServices): ListOfStaff<typeof listAllTransfers> {
  return {
    id: 'transfers',
    route: listAllTransfers,
    async read(query, { use }) {
      const { account_id: accountId, kind, direction, reference, book, document_id: documentId, actor } = query;
      const times = { from: timeInput(query.from, 'from'), to: timeInput(query.to, 'to') };
      const sums = { sumFrom: tomanInput(query.sum_from, 'sum_from'), sumTo: tomanInput(query.sum_to, 'sum_to') };
      const { after, limit = 50 } = query;
      const filter = { accountId, kind, direction, reference, book, documentId, actor, ...times, ...sums };
      const found = await transferSearch.page(filter, { after: after ?? null, limit, use });
      const accounts = found.rows.map((row) => row.accountId);
      const names = use === 'job' ? {} : await namesOf(db, accounts);
      const data = found.rows.map((entry) => ({
        ...transferView(entry),
        debit: entry.debit,
        credit: entry.credit,
        actor: entry.doer?.actor ?? null,
        actor_name: entry.doer?.name ?? null,
      }));
      return listPage(data, found, { names });
    },
    at: (row) => row.created_at,
    columns: {
      id: (row) => row.id,
      created_at: (row) => row.created_at,
      kind: (row) => row.kind,
      account_id: (row) => row.account_id,
      debit: (row) => row.debit,
      credit: (row) => row.credit,
      amount_toman: (row) => row.amount,
      request_id: (row) => row.request_id,
      price_version: (row) => row.price_version,
      note: (row) => row.note,
      actor: (row) => row.actor,
      actor_name: (row) => row.actor_name,
    },
  };
}

interface OldTransfer {
  id: string;
  kind: 'top-up' | 'adjustment' | 'refund';
  accountId: string;
  amount: Money;
  note: string | undefined;
  requestId: string | undefined;
}

/**
 * Maps the kinds of 0.1.0 to those of today: a top-up is a receipt whose number is the id. Remove it with the next
 * version.
 */
function actOf({ id, kind, note: said, requestId: request, ...common }: OldTransfer): HandAct {
  const [note, requestId] = [said ?? null, request ?? null];
  const number = plainNumber(id);
  if (kind === 'top-up') return handAct({ ...common, kind: 'receipt', id: `receipt:${number}`, number, note });
  const fields = { ...common, id, note, publicNote: note, requestId };
  return kind === 'refund'
    ? handAct({ ...fields, kind: 'request-refund' })
    : handAct({ ...fields, kind: 'correction', reason: 'other' });
}

const MIN_REASON_CHARS = 3;
/**
 * Ids of transfers that the service writes itself. A manual transfer with such an id would make the service's own look
 * like a repetition, and an order's credit would be lost.
 */
const OWN_ID = /^(topup|vat|hand|refund|refund-undone|chargeback|chargeback-won|welcome|opening|gift-end):/;

function transferView<T extends Transfer | BookedTransfer>(transfer: T) {
  const accountId: T['accountId'] = transfer.accountId;
  return {
    object: 'transfer' as const,
    id: transfer.id,
    kind: transfer.kind,
    account_id: accountId,
    amount: toTomanText(transfer.amount),
    request_id: transfer.requestId,
    price_version: transfer.priceVersion,
    note: transfer.note,
    created_at: new Date(transfer.createdAt).toISOString(),
  };
}
