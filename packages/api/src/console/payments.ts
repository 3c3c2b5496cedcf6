/** Payments of a customer, described: gateways, orders, gift codes, invoices and the legal identity on them. */
import Type from 'typebox';
import { member } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Toman, TomanInput } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  GatewaySchema,
  GivenTransferReceipt,
  InvoiceSchema,
  OrderEventSchema,
  OrderSchema,
  PartyInput,
  PartySchema,
} from '../schemas/payment-schemas.ts';

const tag = 'Payments';
const READ = member('wallet', 'read', 'owner', 'admin', 'billing');
const WRITE = member('wallet', 'write', 'owner', 'admin', 'billing');
const orders = '/api/console/wallet/orders';
const invoices = '/api/console/wallet/invoices';

export const listOwnGateways = describeRoute({
  method: 'GET',
  path: '/api/console/wallet/gateways',
  operationId: 'listOwnGateways',
  tag,
  access: READ,
  summary: { fa: 'روش‌های پرداخت', en: 'Ways to pay, and the tax that comes on top' },
  result: responseObject(
    { object: Type.Literal('gateways'), vat_percent: Type.String(), data: Type.Array(GatewaySchema) },
    'Gateways',
  ),
});

export const beginTopUp = describeRoute({
  method: 'POST',
  path: orders,
  operationId: 'beginTopUp',
  tag,
  access: WRITE,
  summary: { fa: 'شروع شارژ کیف پول', en: 'Begin a top-up; the answer says where to pay' },
  description: '`amount` is what the wallet gets, in whole toman; tax comes on top.',
  body: inputObject({ gateway: Type.String({ maxLength: 40 }), amount: TomanInput }, 'NewTopUp'),
  status: 201,
  result: OrderSchema,
  errors: ['rate_limited', 'upstream_error'],
  example: { gateway: 'sandbox', amount: 200_000 },
});

export const listOwnOrders = describeRoute({
  method: 'GET',
  path: orders,
  operationId: 'listOwnOrders',
  tag,
  access: READ,
  summary: { fa: 'سفارش‌های شارژ', en: 'Top-ups, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(OrderSchema),
});

export const getOwnOrder = describeRoute({
  method: 'GET',
  path: `${orders}/:id`,
  operationId: 'getOwnOrder',
  tag,
  access: READ,
  summary: { fa: 'یک سفارش و تاریخچهٔ آن', en: 'One top-up and how it came to its state' },
  result: responseObject({ ...OrderSchema.properties, events: Type.Array(OrderEventSchema) }, 'PaymentOrderWithEvents'),
  errors: ['not_found'],
});

export const checkOwnOrder = describeRoute({
  method: 'POST',
  path: `${orders}/:id/check`,
  operationId: 'checkOwnOrder',
  tag,
  access: WRITE,
  summary: { fa: 'استعلام دوباره از درگاه', en: 'Ask the gateway again' },
  result: OrderSchema,
  errors: ['not_found', 'rate_limited'],
});

export const sendTransferReceipt = describeRoute({
  method: 'PUT',
  path: `${orders}/:id/receipt`,
  operationId: 'sendTransferReceipt',
  tag,
  access: WRITE,
  summary: { fa: 'ثبت رسید انتقال بانکی', en: 'Say how a bank transfer was made, so that staff find it' },
  description:
    'Only while the order waits; the same number pays for one order. Sending the same again changes nothing, another one corrects it. Nothing is credited before staff saw the money.',
  body: GivenTransferReceipt,
  result: OrderSchema,
  errors: ['not_found', 'conflict'],
  example: { number: '140511227788', paid_on: '1405/08/27', paid_from: '6037991234567893' },
});

export const redeemGiftCode = describeRoute({
  method: 'POST',
  path: '/api/console/wallet/gift-codes',
  operationId: 'redeemGiftCode',
  tag,
  access: WRITE,
  summary: { fa: 'استفاده از کد هدیه', en: 'Redeem a gift code' },
  body: inputObject({ code: Type.String({ minLength: 8, maxLength: 64 }) }, 'GiftCodeRedemption'),
  status: 201,
  result: OrderSchema,
  errors: ['not_found', 'rate_limited'],
});

export const listOwnInvoices = describeRoute({
  method: 'GET',
  path: invoices,
  operationId: 'listOwnInvoices',
  tag,
  access: READ,
  summary: { fa: 'صورت‌حساب‌ها', en: 'Invoices and credit notes, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(InvoiceSchema),
});

export const getOwnInvoice = describeRoute({
  method: 'GET',
  path: `${invoices}/:id`,
  operationId: 'getOwnInvoice',
  tag,
  access: READ,
  summary: { fa: 'یک صورت‌حساب', en: 'One invoice' },
  result: InvoiceSchema,
  errors: ['not_found'],
});

export const getLegalIdentity = describeRoute({
  method: 'GET',
  path: '/api/console/wallet/legal-identity',
  operationId: 'getLegalIdentity',
  tag,
  access: READ,
  summary: { fa: 'مشخصات حقوقی خریدار', en: 'Who invoices are made out to' },
  result: responseObject(
    { object: Type.Literal('legal_identity'), identity: nullable(PartySchema) },
    'OwnLegalIdentity',
  ),
});

export const setLegalIdentity = describeRoute({
  method: 'PUT',
  path: '/api/console/wallet/legal-identity',
  operationId: 'setLegalIdentity',
  tag,
  access: WRITE,
  summary: { fa: 'تعیین مشخصات حقوقی', en: 'Set who invoices are made out to; those already issued stay as they are' },
  body: PartyInput,
  result: responseObject(
    { object: Type.Literal('legal_identity'), identity: nullable(PartySchema) },
    'OwnLegalIdentity',
  ),
  example: { kind: 'person', name: 'سارا رضایی', national_id: '0013542419' },
});

export const quoteTopUp = describeRoute({
  method: 'GET',
  path: '/api/console/wallet/quote',
  operationId: 'quoteTopUp',
  tag,
  access: READ,
  summary: { fa: 'مبلغ پرداختی پیش از پرداخت', en: 'What a top-up would cost, before it is begun' },
  query: inputObject({ gateway: Type.String({ maxLength: 40 }), amount: Type.String({ maxLength: 40 }) }),
  result: responseObject(
    {
      object: Type.Literal('quote'),
      amount: Toman,
      vat: Toman,
      payable: Toman,
      charged: responseObject({ units: Type.String(), unit: Type.String() }),
    },
    'TopUpQuote',
  ),
});
