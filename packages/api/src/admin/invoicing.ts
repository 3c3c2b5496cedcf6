/** Invoices for staff, described: all of them, who sells, and the tax. */
import Type from 'typebox';
import { ACCOUNT_MONEY_READ, STAFF_READ, scoped, staff } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { InvoiceSchema, PartyInput, PartySchema } from '../schemas/payment-schemas.ts';

const tag = 'Payments of customers';
const MONEY = scoped('payments', staff('owner', 'finance'));

export const listInvoices = describeRoute({
  method: 'GET',
  path: '/api/admin/invoices',
  operationId: 'listInvoices',
  tag,
  access: ACCOUNT_MONEY_READ,
  summary: { fa: 'صورت‌حساب‌های همهٔ حساب‌ها', en: 'Invoices of all accounts, newest first' },
  query: inputObject({ ...PAGE_QUERY, account_id: Type.Optional(Type.String({ maxLength: 64 })) }),
  result: pageOf(InvoiceSchema),
});

const InvoiceSettings = responseObject(
  {
    object: Type.Literal('invoice_settings'),
    seller: nullable(PartySchema),
    vat_percent: Type.String(),
    pause_on_chargeback: Type.Boolean(),
    bank_accounts: Type.Array(
      responseObject({
        id: Type.String(),
        name: Type.String(),
        iban: nullable(Type.String({ description: 'Null for the one that is there before you have named any.' })),
        holder: nullable(Type.String({ description: 'Whose account it is, as customers who transfer see it.' })),
      }),
      { description: 'Yours: bank transfers come to one of them, and refunds by hand leave one. At least one.' },
    ),
  },
  'InvoiceSettings',
);

export const getInvoiceSettings = describeRoute({
  method: 'GET',
  path: '/api/admin/invoice-settings',
  operationId: 'getInvoiceSettings',
  tag,
  access: STAFF_READ,
  summary: { fa: 'فروشنده و مالیات', en: 'The seller on invoices, and the tax' },
  result: InvoiceSettings,
});

export const changeInvoiceSettings = describeRoute({
  method: 'PATCH',
  path: '/api/admin/invoice-settings',
  operationId: 'changeInvoiceSettings',
  tag,
  access: MONEY,
  summary: { fa: 'تغییر فروشنده و مالیات', en: 'Change the seller or the tax of orders from now on' },
  body: inputObject(
    {
      seller: Type.Optional(PartyInput),
      vat_percent: Type.Optional(
        Type.String({ maxLength: 8, description: 'Per cent with up to two decimals: `10`, `9.5`.' }),
      ),
      pause_on_chargeback: Type.Optional(Type.Boolean()),
      bank_accounts: Type.Optional(
        Type.Array(
          inputObject({
            id: Type.String({
              minLength: 1,
              maxLength: 31,
              description: 'Small letters, digits and dashes; the book is `bank:<id>`.',
            }),
            name: Type.String({ minLength: 1, maxLength: 100 }),
            iban: Type.String({ minLength: 1, maxLength: 40 }),
            holder: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
          }),
          {
            minItems: 1,
            maxItems: 20,
            description: 'All of them, in their order. One with entries in the books stays.',
          },
        ),
      ),
    },
    'InvoiceSettingsChange',
  ),
  result: InvoiceSettings,
  errors: ['conflict'],
  example: { vat_percent: '10' },
});
