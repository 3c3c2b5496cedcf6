/** Documents of the books, described: what staff know from a bank, a gateway, a provider or the tax office. */
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

const tag = 'Service';
const path = '/api/admin/documents';
const Name = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));
const Sum = Type.Optional(TomanInput);

const DOCUMENT_KINDS = [
  'settlement',
  'unmatched',
  'matched',
  'documented',
  'bill',
  'currency',
  'bill-payment',
  'tax-payment',
  'owner-money',
] as const;

const DocumentSchema = responseObject(
  {
    object: Type.Literal('document'),
    id: Type.String(),
    kind: Type.String(),
    dated_on: Type.String({ description: "The paper's own day." }),
    number: nullable(Type.String()),
    party: nullable(Type.String()),
    note: nullable(Type.String()),
    created_by: Type.String(),
    approved_by: nullable(Type.String()),
    reverses: nullable(Type.String()),
    created_at: Time,
    lines: Type.Array(
      responseObject({
        id: Type.String(),
        debit: Type.String(),
        credit: Type.String(),
        amount: Toman,
        units: nullable(Type.String()),
        unit: nullable(Type.String()),
      }),
    ),
    files: Type.Array(
      responseObject({
        id: Type.String(),
        name: Type.String(),
        type: Type.String({ description: 'As its first bytes say.' }),
        bytes: Type.Integer(),
        created_by: Type.String(),
        created_at: Time,
      }),
      { description: 'Pictures and PDFs of the paper.' },
    ),
  },
  'BookDocument',
);

export const bookDocument = describeRoute({
  method: 'POST',
  path,
  operationId: 'bookDocument',
  tag,
  // No token: a document of this kind can become credit.
  access: staff('owner', 'finance'),
  summary: { fa: 'ثبت سند در دفترها', en: 'Book a paper: a settlement, money without an order, a bill, a tax payment' },
  description:
    '`settlement`: a `gateway` paid `amount` to a `bank` and kept `fee` (and `vat` on it, where its bill shows tax). `unmatched`: `amount` came to a `bank` or `gateway` and no order is known for it; `matched`: it was that of `account_id`, `vat` of it being tax. `documented`: `amount` of credit by hand without a paper was money at a `bank`, or `as` a gift or correction. `bill`: a `provider` billed `amount` more than was counted (negative: less). `currency`: `units` of `currency` were bought for `amount` from a `bank`. `bill-payment`: `amount` owed to a `provider` was paid from a `bank` or a `currency` (`units`), with `fee` and `difference`. `tax-payment`: `amount` went to the tax office from a `bank`, after `set_off`. `owner-money`: `amount` of the owner is in a `bank`, or left it where negative. With `entry` a `documented` clears that one entry, and the amount must be that of the entry. The same `id` and kind again changes nothing.',
  body: inputObject(
    {
      id: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9._-]+$' }),
      kind: Type.Enum([...DOCUMENT_KINDS]),
      amount: TomanInput,
      fee: Sum,
      vat: Sum,
      set_off: Sum,
      difference: Sum,
      gateway: Name,
      bank: Name,
      provider: Name,
      account_id: Name,
      currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3,5}$' })),
      units: Type.Optional(Type.String({ pattern: '^[0-9]{1,20}(\\.[0-9]{1,6})?$' })),
      as: Type.Optional(Type.Enum(['gift', 'correction'])),
      entry: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      dated_on: Type.Optional(Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })),
      number: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      note: Type.Optional(Type.String({ maxLength: 500 })),
    },
    'NewBookDocument',
  ),
  status: 201,
  result: DocumentSchema,
  errors: ['not_found', 'conflict'],
  example: { id: 'zp-1405-08-26', kind: 'settlement', gateway: 'zarinpal', amount: 1_089_000, fee: 11_000 },
});

export const getDocument = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getDocument',
  tag,
  access: MONEY_READ,
  summary: { fa: 'یک سند و سطرهایش', en: 'One paper of the books and its lines' },
  result: DocumentSchema,
  errors: ['not_found'],
});

export const attachToDocument = describeRoute({
  method: 'POST',
  path: `${path}/:id/files`,
  operationId: 'attachToDocument',
  tag,
  access: staff('owner', 'finance'),
  summary: { fa: 'افزودن تصویر یا PDF به سند', en: 'Add a picture or PDF to a paper' },
  description:
    'PNG, JPEG, WebP or PDF, known by its first bytes; at most 3 MB, and five of one paper. It stays as long as the books; the same file again changes nothing.',
  body: inputObject(
    {
      name: Type.String({ minLength: 1, maxLength: 200 }),
      data: Type.String({ maxLength: 4_200_000, description: 'base64, at most 3 MB.' }),
    },
    'NewDocumentFile',
  ),
  status: 201,
  result: DocumentSchema,
  errors: ['not_found', 'conflict'],
  example: { name: 'receipt.pdf', data: 'JVBERi0xLjQK' },
});

export const getDocumentFile = describeRoute({
  method: 'GET',
  path: `${path}/:id/files/:file`,
  operationId: 'getDocumentFile',
  tag,
  access: MONEY_READ,
  summary: { fa: 'دریافت فایل یک سند', en: 'Download a file of a paper' },
  result: Type.String({ title: 'DocumentFileBytes' }),
  resultType: 'application/octet-stream',
  errors: ['not_found'],
});

const DocumentRow = responseObject(
  {
    object: Type.Literal('document'),
    id: Type.String(),
    kind: Type.String(),
    dated_on: Type.String(),
    number: nullable(Type.String()),
    party: nullable(Type.String()),
    note: nullable(Type.String()),
    amount: Type.String({ description: 'Of its lines together, in toman.' }),
    created_by: Type.String(),
    created_by_name: nullable(Type.String()),
    created_at: Time,
  },
  'BookDocumentRow',
);

export const listDocuments = describeRoute({
  method: 'GET',
  path,
  operationId: 'listDocuments',
  tag,
  access: MONEY_READ,
  summary: { fa: 'سندهای دفترها', en: 'Papers of the books, newest first' },
  query: inputObject({
    ...PAGE_QUERY,
    kind: Type.Optional(Type.String({ maxLength: 40 })),
    party: Type.Optional(Type.String({ maxLength: 100 })),
    number: Type.Optional(Type.String({ maxLength: 100 })),
    from: Type.Optional(Type.String({ maxLength: 40, description: 'Booked since.' })),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'Booked before.' })),
  }),
  result: pageOf(DocumentRow),
});
