/** `/api/admin/accounts/{id}/transfers`: credit comes and goes as transfers, each with an id that makes repeating it harmless. */
import Type from 'typebox';
import type { AccountService } from '../../accounts/index.ts';
import { invalidRequest } from '../../core/errors.ts';
import { parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { Books, Transfer } from '../../ledger/index.ts';
import type { RecordChange } from '../../platform/admin-trail.ts';
import {
  closed,
  GivenToman,
  nullable,
  PAGE_QUERY,
  page,
  pageOf,
  shown,
  Time,
  Toman,
} from '../openapi/building-blocks.ts';
import type { RegisterOperatorRoute } from './operator-routes.ts';
import { Wallet } from './rule-shapes.ts';
import type { Spending } from './spending.ts';

const NewTransfer = closed(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Yours. The same id and content again moves nothing.',
    }),
    kind: Type.Enum(['top-up', 'adjustment', 'refund']),
    amount: GivenToman,
    note: Type.Optional(Type.String({ maxLength: 500 })),
    request_id: Type.Optional(Type.String({ maxLength: 64, description: 'Refunds: the request that is paid back.' })),
  },
  'NewTransfer',
);
const TransferShape = shown(
  {
    object: Type.Literal('transfer'),
    id: Type.String(),
    kind: Type.String(),
    account_id: Type.String(),
    amount: Type.String({ description: 'Toman; positive into the wallet, negative out of it.' }),
    request_id: nullable(Type.String()),
    price_version: nullable(Type.String()),
    note: nullable(Type.String()),
    created_at: Time,
  },
  'Transfer',
);
const Moved = shown(
  {
    object: Type.Literal('transfer'),
    id: Type.String(),
    kind: Type.String(),
    account_id: Type.String(),
    amount: Toman,
    request_id: nullable(Type.String()),
    note: nullable(Type.String()),
    balance: Toman,
  },
  'MovedTransfer',
);
const History = pageOf(TransferShape);

const tag = 'Credit';
const path = '/api/admin/accounts/:id/transfers';

export interface CreditServices {
  accounts: AccountService;
  ledger: Books;
  spending: Spending;
  record: RecordChange;
}

export function credit(register: RegisterOperatorRoute, { accounts, ledger, spending, record }: CreditServices): void {
  register({
    method: 'POST',
    path,
    operationId: 'transferCredit',
    tag,
    summary: { fa: 'شارژ، اصلاح یا بازپرداخت', en: 'Top up, adjust or refund; idempotent by id' },
    body: NewTransfer,
    result: Moved,
    status: 201,
    errors: ['not_found', 'conflict'],
    example: { id: 'invoice-1403', kind: 'top-up', amount: 500_000, note: 'bank transfer' },
    run: async ({ params, body, actor }) => {
      const account = await accounts.get(params['id'] ?? '');
      const amount = parseToman(body.amount);
      if (amount === undefined || amount === 0n)
        throw invalidRequest('amount', reasons.mustBe('amount', 'toman, not 0, with at most six decimals'));
      const { id, kind, note, request_id: requestId } = body;
      const entry = { id, kind, accountId: account.id, amount };
      const details = { ...(note === undefined ? {} : { note }), ...(requestId === undefined ? {} : { requestId }) };
      const detail = { transfer: id, amount: toTomanText(amount), note };
      const { posted } = await ledger.transfer({ ...entry, ...details }, (tx) =>
        record(tx, actor, `credit.${kind}`, account.id, detail),
      );
      return {
        object: 'transfer',
        id,
        kind,
        account_id: account.id,
        amount: toTomanText(amount),
        request_id: requestId ?? null,
        note: note ?? null,
        balance: toTomanText(posted),
      };
    },
  });
  register({
    method: 'GET',
    path,
    operationId: 'listTransfers',
    tag,
    summary: { fa: 'گردش حساب', en: 'Every movement of the wallet, newest first' },
    query: closed(PAGE_QUERY),
    result: shown({ ...History.properties, wallet: Wallet }, 'TransferPage'),
    errors: ['not_found'],
    run: async ({ params, query }) => {
      const { id } = await accounts.get(params['id'] ?? '');
      const { after, limit = 50 } = query;
      const { entries, next } = await ledger.history(id, { limit, ...(after === undefined ? {} : { before: after }) });
      return { ...page(entries.map(transferView), next), wallet: await spending.wallet(id) };
    },
  });
}

function transferView(transfer: Transfer) {
  return {
    object: 'transfer',
    id: transfer.id,
    kind: transfer.kind,
    account_id: transfer.accountId,
    amount: toTomanText(transfer.amount),
    request_id: transfer.requestId,
    price_version: transfer.priceVersion,
    note: transfer.note,
    created_at: new Date(transfer.createdAt).toISOString(),
  };
}
