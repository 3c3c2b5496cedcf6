/** Bills of providers, and credit by hand of former times that has no paper yet, described. */
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

const tag = 'Settlements';
const path = '/api/admin/bills';
const FINANCE = staff('owner', 'finance');
const Name = Type.String({ minLength: 1, maxLength: 64 });
const Day = Type.String({ maxLength: 10, description: '`2026-11-17`, or `1405-08-26`.' });
const Currency = Type.String({ pattern: '^[A-Z]{3,5}$' });
const ForeignUnits = Type.String({ pattern: '^[0-9]{1,20}(\\.[0-9]{1,6})?$' });

const BillSchema = responseObject(
  {
    object: Type.Literal('provider_bill'),
    id: Type.String(),
    provider: Type.String(),
    number: Type.String(),
    dated_on: Type.String(),
    first_day: Type.String(),
    last_day: Type.String(),
    unit: Type.String(),
    units: Type.String(),
    amount: Toman,
    accrued: Type.String({ description: 'What was counted for these days while the models answered, in toman.' }),
    off_percent: nullable(Type.Number({ description: 'How far the bill is from it; null where nothing was counted.' })),
    state: Type.Enum(['open', 'paid']),
    payment_id: nullable(Type.String()),
    paid_at: nullable(Time),
    note: nullable(Type.String()),
    created_by: Type.String(),
    created_at: Time,
  },
  'ProviderBill',
);

export const listBills = describeRoute({
  method: 'GET',
  path,
  operationId: 'listBills',
  tag,
  summary: { fa: 'صورت‌حساب‌های ارائه‌دهندگان', en: 'Bills of providers, newest first' },
  query: inputObject({
    ...PAGE_QUERY,
    provider: Type.Optional(Name),
    state: Type.Optional(Type.Enum(['open', 'paid'])),
  }),
  result: pageOf(BillSchema),
  access: MONEY_READ,
});

export const getAccrued = describeRoute({
  method: 'GET',
  path: '/api/admin/accrued-costs',
  operationId: 'getAccruedCosts',
  tag,
  summary: { fa: 'هزینهٔ شمرده‌شدهٔ یک ارائه‌دهنده', en: 'What was counted for a provider in these days' },
  query: inputObject({ provider: Name, first_day: Day, last_day: Day }),
  result: responseObject({ object: Type.Literal('accrued_costs'), amount: Toman }, 'AccruedCosts'),
  access: MONEY_READ,
});

export const enterBill = describeRoute({
  method: 'POST',
  path,
  operationId: 'enterBill',
  tag,
  summary: { fa: 'ثبت صورت‌حساب ارائه‌دهنده', en: 'Enter a bill; what it is beyond the count is booked' },
  body: inputObject(
    {
      provider: Name,
      number: Type.String({ minLength: 1, maxLength: 100 }),
      dated_on: Day,
      first_day: Day,
      last_day: Day,
      currency: Currency,
      units: ForeignUnits,
      amount: TomanInput,
      note: Type.Optional(Type.String({ maxLength: 500 })),
    },
    'NewProviderBill',
  ),
  status: 201,
  result: BillSchema,
  errors: ['conflict'],
  example: {
    provider: 'openai',
    number: 'INV-1',
    dated_on: '2026-11-22',
    first_day: '1405-08-01',
    last_day: '1405-08-30',
    currency: 'USD',
    units: '1200',
    amount: '120000000',
  },
  access: FINANCE,
});

export const payBill = describeRoute({
  method: 'POST',
  path: `${path}/:id/payment`,
  operationId: 'payBill',
  tag,
  summary: { fa: 'پرداخت صورت‌حساب', en: 'Pay a bill from a bank or a currency, once' },
  body: inputObject(
    {
      bank: Type.Optional(Name),
      currency: Type.Optional(Currency),
      units: Type.Optional(ForeignUnits),
      cost: TomanInput,
      fee: Type.Optional(TomanInput),
      number: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      dated_on: Type.Optional(Day),
    },
    'ProviderBillPayment',
  ),
  result: BillSchema,
  errors: ['not_found', 'conflict'],
  example: { currency: 'USDT', units: '1206', cost: '124800000', fee: '624000' },
  access: { ...FINANCE, freshProof: true },
});

export const listUndocumented = describeRoute({
  method: 'GET',
  path: '/api/admin/undocumented',
  operationId: 'listUndocumented',
  tag,
  summary: { fa: 'شارژهای دستی بدون سند', en: 'Credit by hand that has no paper, with its makers' },
  description: 'Cleared by a document of kind `documented` that names the `entry`.',
  query: inputObject({ ...PAGE_QUERY }),
  result: pageOf(
    responseObject(
      {
        object: Type.Literal('undocumented_entry'),
        id: Type.String(),
        account_id: nullable(Type.String()),
        amount: Toman,
        note: nullable(Type.String()),
        actor: nullable(Type.String()),
        actor_name: nullable(Type.String()),
        created_at: Time,
      },
      'UndocumentedEntry',
    ),
  ),
  access: MONEY_READ,
});
