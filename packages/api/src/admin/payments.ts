/** Payments for staff, described: orders, refunds. */
import Type from 'typebox';
import { ACCOUNT_MONEY_READ, MONEY_READ, STAFF_READ, scoped, staff } from '../access.ts';
import {
  inputObject,
  listOf,
  nullable,
  PAGE_QUERY,
  responseObject,
  Time,
  Toman,
  TomanInput,
} from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  InvoiceSchema,
  OrderEventSchema,
  OrderSchema,
  OrderStateName,
  RefundPartSchema,
} from '../schemas/payment-schemas.ts';

const tag = 'Payments of customers';
const MONEY = scoped('payments', staff('owner', 'finance'));
const path = '/api/admin/payments';
const Bank = Type.Optional(
  Type.String({ maxLength: 31, description: 'The id of your bank account; without it the first one.' }),
);
const Reason = Type.String({
  minLength: 3,
  maxLength: 500,
  description: 'Why; it stays in the books and in the audit log.',
});

export const listPayments = describeRoute({
  method: 'GET',
  path,
  operationId: 'listPayments',
  tag,
  access: ACCOUNT_MONEY_READ,
  summary: { fa: 'سفارش‌های همهٔ حساب‌ها', en: 'Orders of all accounts, newest first' },
  query: inputObject({
    ...PAGE_QUERY,
    account_id: Type.Optional(Type.String({ maxLength: 64 })),
    state: Type.Optional(OrderStateName),
    gateway: Type.Optional(Type.String({ maxLength: 40 })),
    stuck: Type.Optional(Type.Boolean({ description: 'Only what waits for longer than a quarter of an hour.' })),
    refunded: Type.Optional(Type.Boolean({ description: 'Only what went back, whole or in part.' })),
    receipt_waits: Type.Optional(
      Type.Boolean({ description: 'Only transfers whose customer sent a receipt, and that staff did not decide yet.' }),
    ),
    not_settled: Type.Optional(Type.Boolean({ description: 'Only what the gateway was paid and has not settled.' })),
    sum_from: Type.Optional(Type.String({ maxLength: 40, description: 'Toman, of what the wallet gets.' })),
    sum_to: Type.Optional(Type.String({ maxLength: 40 })),
    from: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339 or a day; included.' })),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'Not included.' })),
    q: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "The order, the beginning of the gateway's number or of the receipt's, or the last four digits of a card.",
      }),
    ),
    sort: Type.Optional(Type.Enum(['newest', 'sum'], { description: '`sum` within 31 days at most.' })),
  }),
  result: listOf(OrderSchema),
});

export const beginPayment = describeRoute({
  method: 'POST',
  path,
  operationId: 'beginPayment',
  tag,
  access: MONEY,
  summary: { fa: 'سفارش شارژ برای یک حساب', en: 'Begin a top-up for an account, to send its customer the address' },
  body: inputObject(
    { account_id: Type.String({ maxLength: 64 }), gateway: Type.String({ maxLength: 40 }), amount: TomanInput },
    'NewPayment',
  ),
  status: 201,
  result: OrderSchema,
  errors: ['not_found', 'rate_limited', 'upstream_error'],
  example: { account_id: 'acme', gateway: 'sandbox', amount: 200_000 },
});

export const getPayment = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getPayment',
  tag,
  access: STAFF_READ,
  summary: { fa: 'یک سفارش و تاریخچهٔ آن', en: 'One order and how it came to its state' },
  result: responseObject(
    {
      ...OrderSchema.properties,
      external_id: nullable(Type.String({ description: "The gateway's name for the payment." })),
      fee: nullable(Toman),
      account_name: Type.String(),
      parts: Type.Array(RefundPartSchema),
      events: Type.Array(OrderEventSchema),
      entries: Type.Array(
        responseObject({
          id: Type.String(),
          kind: Type.String(),
          debit: Type.String(),
          credit: Type.String(),
          amount: Toman,
          created_at: Time,
        }),
        { description: 'Its lines in the books.' },
      ),
      invoices: Type.Array(InvoiceSchema, { description: 'The invoice and its credit notes.' }),
    },
    'PaymentOrderOfStaff',
  ),
  errors: ['not_found'],
});

export const verifyPayment = describeRoute({
  method: 'POST',
  path: `${path}/:id/verify`,
  operationId: 'verifyPayment',
  tag,
  access: MONEY,
  summary: { fa: 'استعلام دوباره از درگاه', en: 'Ask the gateway again' },
  result: OrderSchema,
  errors: ['not_found'],
});

export const checkPayment = describeRoute({
  method: 'GET',
  path: `${path}/:id/bank-check`,
  operationId: 'checkPayment',
  tag,
  access: MONEY_READ,
  summary: {
    fa: 'انتقال در صورت‌حساب بانک',
    en: 'What the statements of your bank say of a transfer, before you confirm it',
  },
  description: 'It changes and refuses nothing. Statements are those that were read under settlements.',
  query: inputObject({
    reference: Type.Optional(
      Type.String({ maxLength: 100, description: "The bank's number; without it the one that the customer wrote." }),
    ),
    bank: Bank,
  }),
  result: responseObject(
    {
      object: Type.Literal('transfer_check'),
      bank: Type.String(),
      warnings: Type.Array(
        Type.Enum(['amount_differs', 'number_differs', 'taken', 'not_in_statement', 'receipt_differs'], {
          description:
            '`amount_differs`: the bank has the number with another sum. `number_differs`: it has the sum with another number. `taken`: the line is that of another payment. `not_in_statement`: statements tell of that day and have neither. `receipt_differs`: the customer wrote another number.',
        }),
      ),
      statements_to: nullable(Type.String({ description: 'The last day that statements of this bank tell of.' })),
      lines: Type.Array(
        responseObject({
          settlement_id: Type.String(),
          reference: nullable(Type.String()),
          day: Type.String(),
          amount: Toman,
          text: nullable(Type.String()),
          taken: Type.Boolean(),
        }),
      ),
    },
    'TransferCheck',
  ),
  errors: ['not_found'],
});

export const rejectPayment = describeRoute({
  method: 'POST',
  path: `${path}/:id/reject`,
  operationId: 'rejectPayment',
  tag,
  access: MONEY,
  summary: { fa: 'رد انتقال بانکی', en: 'Say that the money of a bank transfer did not come; its customer reads why' },
  body: inputObject({ reason: Type.String({ minLength: 3, maxLength: 300 }) }, 'PaymentRejection'),
  result: OrderSchema,
  errors: ['not_found', 'conflict'],
  example: { reason: 'واریزی با این شماره در حساب ما نیست.' },
});

export const confirmPayment = describeRoute({
  method: 'POST',
  path: `${path}/:id/confirm`,
  operationId: 'confirmPayment',
  tag,
  access: MONEY,
  summary: { fa: 'تأیید انتقال بانکی', en: 'Confirm that the money of a bank transfer has come' },
  body: inputObject(
    {
      reference: Type.String({ minLength: 1, maxLength: 100, description: "The bank's number." }),
      bank: Bank,
    },
    'TransferConfirmation',
  ),
  result: OrderSchema,
  errors: ['not_found', 'conflict'],
});

export const refundPayment = describeRoute({
  method: 'POST',
  path: `${path}/:id/refund`,
  operationId: 'refundPayment',
  tag,
  access: MONEY,
  summary: { fa: 'برگرداندن یک شارژ', en: 'Take a top-up back and return the money' },
  description:
    'All that is left of it, or the part that `amount` names; its tax goes back too, and the parts of an order add up to it exactly. The wallet must hold the amount beside gifts that are not used yet. Where the gateway has a call for it the money is sent back by it, also after a crash or while the gateway does not answer; elsewhere staff send it by hand and this records it. `refund.state` of the answer says how far it is.',
  body: inputObject(
    {
      reason: Reason,
      by_hand: Type.Optional(Type.Boolean()),
      amount: Type.Optional(TomanInput),
      bank: Bank,
    },
    'PaymentRefund',
  ),
  result: OrderSchema,
  errors: ['not_found', 'conflict'],
});

export const settleRefund = describeRoute({
  method: 'POST',
  path: `${path}/:id/refund/settle`,
  operationId: 'settleRefund',
  tag,
  access: MONEY,
  summary: { fa: 'پایان دادن به بازپرداخت', en: 'Say what became of a refund that was refused or is unknown' },
  description:
    'Look at the gateway first. `sent: true`: the money went back, by the gateway or by hand. `sent: false`: it did not, and the credit is given back to the wallet.',
  body: inputObject(
    {
      sent: Type.Boolean(),
      note: Type.String({ minLength: 3, maxLength: 100, description: "The bank's number, or how you know." }),
      number: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Which part of the order; without it the refund that waits.' }),
      ),
    },
    'RefundSettlement',
  ),
  result: OrderSchema,
  errors: ['not_found', 'conflict'],
  example: { sent: true, note: 're_1NirD82eZvKYlo2CIvbtLWuY' },
});
