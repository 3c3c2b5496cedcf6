/** What customers pay with, described for staff: gateways with their secrets, and gift codes. */
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, TomanInput } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { GiftCodeSchema } from '../schemas/payment-schemas.ts';

const tag = 'Payments of customers';
const MONEY = staff('owner', 'finance');
/** A gift code is credit for whoever holds it. */
const CREDIT = scoped('credit', MONEY);

const GatewaySettings = responseObject(
  {
    object: Type.Literal('gateway_settings'),
    id: Type.String(),
    name: responseObject({ fa: Type.String(), en: Type.String() }),
    enabled: Type.Boolean(),
    available: Type.Boolean({ description: 'Customers can pay with it: it is on and has all its secrets.' }),
    secrets: Type.Array(responseObject({ name: Type.String(), set: Type.Boolean() })),
    options: Type.Record(Type.String(), Type.String()),
    callback_url: nullable(
      Type.String({ description: "To be entered at the gateway; null without the gateway's secret." }),
    ),
  },
  'GatewaySettings',
);

export const listPaymentGateways = describeRoute({
  method: 'GET',
  path: '/api/admin/payment-gateways',
  operationId: 'listPaymentGateways',
  tag,
  access: STAFF_READ,
  summary: { fa: 'درگاه‌های پرداخت', en: 'Payment gateways and whether their secrets are set' },
  result: pageOf(GatewaySettings),
});

export const changePaymentGateway = describeRoute({
  method: 'PATCH',
  path: '/api/admin/payment-gateways/:id',
  operationId: 'changePaymentGateway',
  tag,
  // A fresh proof is asked: whoever changes the address or the secrets of a gateway receives the money of customers.
  access: { ...MONEY, freshProof: true },
  summary: { fa: 'تنظیم درگاه پرداخت', en: 'Switch a gateway, set its secrets and options' },
  description: 'Only the fields given change; null forgets one. Secrets are never shown again.',
  body: inputObject(
    {
      enabled: Type.Optional(Type.Boolean()),
      secrets: Type.Optional(Type.Record(Type.String(), nullable(Type.String({ maxLength: 2000 })))),
      options: Type.Optional(Type.Record(Type.String(), nullable(Type.String({ maxLength: 2000 })))),
    },
    'GatewayChange',
  ),
  result: GatewaySettings,
  errors: ['not_found'],
  example: { enabled: true, options: { instructions: 'IR06…' } },
});

export const makeGiftCodes = describeRoute({
  method: 'POST',
  path: '/api/admin/gift-codes',
  operationId: 'makeGiftCodes',
  tag,
  access: CREDIT,
  summary: { fa: 'ساختن کدهای هدیه', en: 'Make gift codes; their texts are shown this once' },
  body: inputObject(
    {
      count: Type.Integer({ minimum: 1, maximum: 10_000 }),
      amount: TomanInput,
      expires_at: Type.Optional(Type.String({ maxLength: 64, description: 'RFC 3339 with its zone.' })),
      note: Type.Optional(Type.String({ maxLength: 200 })),
    },
    'NewGiftCodes',
  ),
  status: 201,
  result: responseObject(
    { object: Type.Literal('gift_codes'), batch: Type.String(), codes: Type.Array(Type.String()) },
    'FreshGiftCodes',
  ),
  example: { count: 5, amount: 50_000, note: 'nowruz' },
});

export const listGiftCodes = describeRoute({
  method: 'GET',
  path: '/api/admin/gift-codes',
  operationId: 'listGiftCodes',
  tag,
  access: STAFF_READ,
  summary: { fa: 'کدهای هدیه', en: 'Gift codes without their texts, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(GiftCodeSchema),
});

export const revokeGiftCode = describeRoute({
  method: 'DELETE',
  path: '/api/admin/gift-codes/:id',
  operationId: 'revokeGiftCode',
  tag,
  access: CREDIT,
  summary: { fa: 'باطل کردن کد هدیه', en: 'Revoke an unused gift code' },
  result: responseObject({ done: Type.Boolean() }, 'Done'),
  errors: ['not_found'],
});
