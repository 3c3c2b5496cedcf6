/** Reconciliation, described: what gateways and banks say they paid, beside what the books say. */
import Type from 'typebox';
import { MONEY_READ, staff } from '../access.ts';
import {
  inputObject,
  nullable,
  PAGE_QUERY,
  pageOf,
  responseObject,
  Time,
  Toman,
  TomanInput,
} from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  BadRowSchema,
  FileColumns,
  FileFields,
  LineSchema,
  SettledUnits,
  SettlementSchema,
  SourceName,
} from './settlement-schemas.ts';

const tag = 'Settlements';
const path = '/api/admin/settlements';
/** No token: what is booked here can become credit. */
const FINANCE = staff('owner', 'finance');

export const listSettlements = describeRoute({
  method: 'GET',
  path,
  operationId: 'listSettlements',
  tag,
  summary: { fa: 'تسویه‌ها', en: 'Settlements of gateways and bank statements, newest first' },
  query: inputObject({
    ...PAGE_QUERY,
    kind: Type.Optional(Type.Enum(['gateway', 'bank', 'opening'])),
    source: Type.Optional(SourceName),
    state: Type.Optional(Type.Enum(['read', 'matched', 'booked'])),
  }),
  result: pageOf(SettlementSchema),
  access: MONEY_READ,
});

export const getSettlement = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getSettlement',
  tag,
  summary: { fa: 'یک تسویه', en: 'One settlement and what booking it means' },
  result: SettlementSchema,
  errors: ['not_found'],
  access: MONEY_READ,
});

export const listSettlementLines = describeRoute({
  method: 'GET',
  path: `${path}/:id/lines`,
  operationId: 'listSettlementLines',
  tag,
  summary: { fa: 'سطرهای یک تسویه', en: 'Lines of a settlement' },
  description: '`agree`: both have it. `theirs`: they have it and you do not, or it is only proposed.',
  query: inputObject({
    list: Type.Enum(['agree', 'theirs']),
    after: Type.Optional(Type.String({ maxLength: 12, pattern: '^[0-9]+$' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  }),
  result: pageOf(LineSchema),
  errors: ['not_found'],
  access: MONEY_READ,
});

const OpenOrderSchema = responseObject(
  {
    object: Type.Literal('open_order'),
    id: Type.String(),
    gateway: Type.String(),
    account_id: Type.String(),
    reference: nullable(Type.String()),
    amount: Type.String({ description: 'Toman, with tax.' }),
    created_at: Time,
  },
  'OpenOrder',
);

export const listOpenOrders = describeRoute({
  method: 'GET',
  path: '/api/admin/open-orders',
  operationId: 'listOpenOrders',
  tag,
  summary: { fa: 'سفارش‌های تسویه‌نشده', en: 'Orders that a gateway has not settled, or no bank statement has shown' },
  query: inputObject({
    ...PAGE_QUERY,
    list: Type.Enum(['not-settled', 'not-seen']),
    gateway: Type.Optional(SourceName),
  }),
  result: pageOf(OpenOrderSchema),
  access: MONEY_READ,
});

const OpenSumSchema = responseObject({ count: Type.Integer(), amount: Toman }, 'OpenSum');

export const getOpenItems = describeRoute({
  method: 'GET',
  path: '/api/admin/open-items',
  operationId: 'getOpenItems',
  tag,
  summary: {
    fa: 'آنچه هنوز باز است',
    en: 'What is open: settlements, money without an order, credit without a paper, receipts',
  },
  result: responseObject(
    {
      object: Type.Literal('open_items'),
      settlements: OpenSumSchema,
      unmatched: OpenSumSchema,
      undocumented: OpenSumSchema,
      receipts_not_seen: OpenSumSchema,
      not_settled: Type.Array(responseObject({ gateway: Type.String(), count: Type.Integer(), amount: Toman })),
      columns: Type.Array(
        responseObject({ source: Type.String(), columns: Type.Record(Type.String(), Type.String()) }),
      ),
      fetched: Type.Array(Type.String(), { description: 'Gateways that tell their payouts by themselves.' }),
    },
    'OpenItems',
  ),
  access: MONEY_READ,
});

export const previewSettlementFile = describeRoute({
  method: 'POST',
  path: `${path}/preview`,
  operationId: 'previewSettlementFile',
  tag,
  summary: { fa: 'پیش‌نمایش فایل تسویه', en: 'Read a file without storing anything' },
  body: inputObject({ ...FileFields, columns: Type.Optional(FileColumns) }, 'SettlementFilePreview'),
  result: responseObject(
    {
      object: Type.Literal('settlement_preview'),
      names: Type.Array(Type.String()),
      bad: Type.Array(BadRowSchema),
      count: Type.Integer(),
      gross: SettledUnits,
      fee: SettledUnits,
      first: Type.Array(
        responseObject({
          line: Type.Integer(),
          day: Type.String(),
          gross: SettledUnits,
          fee: SettledUnits,
          reference: nullable(Type.String()),
          text: nullable(Type.String()),
        }),
      ),
    },
    'SettlementPreview',
  ),
  example: { kind: 'bank', source: 'melli', unit: 'IRR', text: 'date,amount\n1405/08/26,5500000' },
  access: FINANCE,
});

export const importSettlement = describeRoute({
  method: 'POST',
  path,
  operationId: 'importSettlement',
  tag,
  summary: {
    fa: 'وارد کردن فایل تسویه یا گردش حساب',
    en: 'Import a file of a gateway or a bank statement, whole or not at all',
  },
  description:
    'A payout is known by the `external_id` that the gateway gave it; the same file again changes nothing. Lines of a bank statement that an earlier file had are left out. The columns are remembered.',
  body: inputObject(
    {
      ...FileFields,
      columns: FileColumns,
      external_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      reference: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: "The bank's number of the payout." }),
      ),
      paid_on: Type.Optional(Type.String({ maxLength: 10, description: '`2026-11-17`, or `1405-08-26`.' })),
      arrived: Type.Optional(
        Type.String({
          pattern: '^[0-9]{1,15}$',
          description: 'What arrived, in `unit`; without it what the lines add up to.',
        }),
      ),
    },
    'NewSettlement',
  ),
  status: 201,
  result: SettlementSchema,
  errors: ['conflict'],
  example: {
    kind: 'bank',
    source: 'melli',
    unit: 'IRR',
    text: 'date,amount\n1405/08/26,5500000',
    columns: { date: 'date', amount: 'amount' },
  },
  access: FINANCE,
});

export const fetchSettlements = describeRoute({
  method: 'POST',
  path: `${path}/fetch`,
  operationId: 'fetchSettlements',
  tag,
  summary: { fa: 'خواندن تسویه‌ها از درگاه', en: 'Ask a gateway what it paid out' },
  body: inputObject({ gateway: SourceName }),
  result: pageOf(SettlementSchema),
  errors: ['conflict', 'upstream_error'],
  example: { gateway: 'stripe' },
  access: FINANCE,
});

export const rematchSettlement = describeRoute({
  method: 'POST',
  path: `${path}/:id/match`,
  operationId: 'rematchSettlement',
  tag,
  summary: { fa: 'تطبیق دوباره', en: 'Look again for what of yours the open lines are' },
  result: SettlementSchema,
  errors: ['not_found', 'conflict'],
  access: FINANCE,
});

export const decideSettlementLine = describeRoute({
  method: 'PUT',
  path: `${path}/:id/lines/:number`,
  operationId: 'decideSettlementLine',
  tag,
  summary: { fa: 'تعیین سطر تسویه', en: 'Say what a line is: `payment:<order>`, `document:<id>`, or nothing of yours' },
  body: inputObject({ settles: nullable(Type.String({ minLength: 3, maxLength: 200 })) }, 'SettlementLineDecision'),
  result: SettlementSchema,
  errors: ['not_found', 'conflict'],
  example: { settles: 'payment:ord_1' },
  access: FINANCE,
});

export const discardSettlement = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'discardSettlement',
  tag,
  summary: { fa: 'کنار گذاشتن تسویه', en: 'Discard a settlement that is not booked' },
  result: responseObject({ id: Type.String(), deleted: Type.Boolean() }),
  errors: ['not_found', 'conflict'],
  access: FINANCE,
});

export const bookSettlement = describeRoute({
  method: 'POST',
  path: `${path}/:id/book`,
  operationId: 'bookSettlement',
  tag,
  summary: { fa: 'ثبت تسویه در دفترها', en: 'Book a settlement, once' },
  description:
    '`difference` and `unmatched` are what you were shown; where they are others by now, nothing is booked. Booked before: the same answer again.',
  body: inputObject(
    {
      bank: Type.Optional(SourceName),
      difference: TomanInput,
      unmatched: TomanInput,
      vat: Type.Optional(TomanInput),
      rate: Type.Optional(TomanInput),
    },
    'SettlementBooking',
  ),
  result: SettlementSchema,
  errors: ['not_found', 'conflict'],
  example: { bank: 'melli', difference: '0', unmatched: '0' },
  access: FINANCE,
});

export const openGatewayBooks = describeRoute({
  method: 'POST',
  path: `${path}/opening`,
  operationId: 'openGatewayBooks',
  tag,
  summary: {
    fa: 'تسویه‌های پیش از شروع دفترها',
    en: 'Book what a gateway had paid before its books began, once per gateway',
  },
  body: inputObject(
    {
      gateway: SourceName,
      bank: Type.Optional(SourceName),
      arrived: TomanInput,
      fee: TomanInput,
      until: Type.String({ maxLength: 10, description: 'The last day that it covers; `2026-11-17`, or `1405-08-26`.' }),
    },
    'GatewayOpening',
  ),
  status: 201,
  result: SettlementSchema,
  errors: ['conflict'],
  example: { gateway: 'zarinpal', arrived: '90000000', fee: '900000', until: '1405-08-25' },
  access: FINANCE,
});
