/** `/api/admin/accounts/{id}/transfers` and `/api/admin/transfers`, described: credit comes and goes as transfers, each with an id that makes repeating it harmless. */

import { TRANSFER_KINDS } from '@dargah/core/transfer-kinds.ts';
import Type from 'typebox';
import { ACCOUNT_MONEY_READ, STAFF_READ, scoped, staff } from '../access.ts';
import {
  inputObject,
  listOf,
  nullable,
  PAGE_QUERY,
  pageOf,
  responseObject,
  Time,
  Toman,
  TomanInput,
} from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { Wallet } from '../schemas/rule-schemas.ts';

const NewTransfer = inputObject(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Yours. The same id and content again moves nothing.',
    }),
    kind: Type.Enum(['top-up', 'adjustment', 'refund'], {
      description: 'A `top-up` is a receipt: `id` is its number, and it becomes an order of bank transfer.',
    }),
    amount: TomanInput,
    note: Type.Optional(
      Type.String({ maxLength: 500, description: 'The reason; needed for everything but a top-up.' }),
    ),
    request_id: Type.Optional(Type.String({ maxLength: 64, description: 'Refunds: the request that is paid back.' })),
  },
  'NewTransfer',
);
const TransferSchema = responseObject(
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
const Moved = responseObject(
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
const BookedTransfer = responseObject(
  {
    ...TransferSchema.properties,
    kind: Type.Enum([...TRANSFER_KINDS]),
    account_id: nullable(Type.String({ description: 'Null between books of our own.' })),
    amount: Type.String({
      description: 'Toman; positive into the wallet, negative out of it. Between books of our own always positive.',
    }),
    debit: Type.String({ description: 'The book it goes out of: `wallet:<account>`, `cash`, `costs`, …' }),
    credit: Type.String({ description: 'The book it goes into: `wallet:<account>`, `revenue`, `provider:<id>`, …' }),
    actor: nullable(
      Type.String({ description: 'Who made it, as in the audit log; null for what the service does by itself.' }),
    ),
    actor_name: nullable(Type.String()),
  },
  'BookedTransfer',
);
const History = pageOf(TransferSchema);
const tag = 'Credit';
const path = '/api/admin/accounts/:id/transfers';
const WRITE = scoped('credit', staff('owner', 'finance'));

export const transferCredit = describeRoute({
  method: 'POST',
  path,
  operationId: 'transferCredit',
  tag,
  summary: { fa: 'شارژ، اصلاح یا بازپرداخت', en: 'Top up, adjust or refund; idempotent by id' },
  description: 'Goes with the next version: `POST /api/admin/accounts/{id}/credit` has kinds, papers and approval.',
  body: NewTransfer,
  result: Moved,
  status: 201,
  errors: ['not_found', 'conflict', 'credit_limit_exceeded'],
  example: { id: 'invoice-1403', kind: 'top-up', amount: 500_000, note: 'bank transfer' },
  access: WRITE,
});

export const listTransfers = describeRoute({
  method: 'GET',
  path,
  operationId: 'listTransfers',
  tag,
  summary: { fa: 'گردش حساب', en: 'Every movement of the wallet, newest first' },
  query: inputObject(PAGE_QUERY),
  result: responseObject({ ...History.properties, wallet: Wallet }, 'TransferPage'),
  errors: ['not_found'],
  access: STAFF_READ,
});

export const listAllTransfers = describeRoute({
  method: 'GET',
  path: '/api/admin/transfers',
  operationId: 'listAllTransfers',
  tag,
  summary: { fa: 'همهٔ گردش‌های دفتر', en: 'Every transfer of the books, newest first' },
  query: inputObject({
    ...PAGE_QUERY,
    account_id: Type.Optional(Type.String({ maxLength: 64 })),
    kind: Type.Optional(Type.Enum([...TRANSFER_KINDS])),
    direction: Type.Optional(Type.Enum(['in', 'out'], { description: 'Into wallets, or out of them.' })),
    reference: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Its own id, the request it pays back, or the order or dispute it comes from.',
      }),
    ),
    from: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339, or a day of Tehran; included.' })),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339, or a day of Tehran; not included.' })),
    book: Type.Optional(Type.String({ maxLength: 200, description: 'On either side: `bank:melli`, `vat-payable`, …' })),
    document_id: Type.Optional(Type.String({ maxLength: 64 })),
    actor: Type.Optional(Type.String({ maxLength: 128, description: 'Who made it, as in the audit log.' })),
    sum_from: Type.Optional(Type.String({ maxLength: 40, description: 'Toman, without its sign.' })),
    sum_to: Type.Optional(Type.String({ maxLength: 40 })),
  }),
  result: listOf(BookedTransfer),
  access: ACCOUNT_MONEY_READ,
});
