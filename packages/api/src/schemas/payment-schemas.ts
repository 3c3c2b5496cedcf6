/** Orders, invoices and gift codes as customers and staff see them. */
import Type from 'typebox';
import { AnyJson, inputObject, nullable, responseObject, Time, Toman } from '../building-blocks.ts';

export const OrderStateName = Type.Enum(
  ['created', 'sent', 'returned', 'paid', 'credited', 'failed', 'expired', 'refunded'],
  { title: 'OrderState' },
);

const OrderStepName = Type.Enum(
  [
    'pay',
    'transfer',
    'review',
    'check',
    'credit',
    'credited',
    'rejected',
    'differs',
    'failed',
    'expired',
    'refunding',
    'refunded',
  ],
  { title: 'OrderStep', description: 'Where it stands for its customer, from which follows what to do next.' },
);

const ReceiptOfTransfer = responseObject(
  {
    number: Type.String({ description: 'The tracking number of the bank.' }),
    paid_on: Type.String({ examples: ['2026-11-18'] }),
    paid_from: nullable(Type.String({ description: 'An IBAN, or a card with its middle digits hidden.' })),
    sent_at: Time,
  },
  'TransferReceipt',
);

const BankToPay = responseObject(
  {
    iban: Type.String(),
    holder: nullable(Type.String({ description: 'Whose account it is.' })),
    bank: nullable(responseObject({ fa: Type.String(), en: Type.String() })),
    name: Type.String(),
  },
  'BankToPay',
);

export const OrderSchema = responseObject(
  {
    object: Type.Literal('order'),
    id: Type.String(),
    account_id: Type.String(),
    gateway: Type.String(),
    amount: Toman,
    vat: Toman,
    /** The amount that the customer pays, in toman. */
    payable: Toman,
    charged: responseObject({
      units: Type.String({ description: 'Whole units as the gateway counts them.' }),
      unit: Type.String({ examples: ['IRR', 'IRT', 'USD'] }),
    }),
    state: OrderStateName,
    step: OrderStepName,
    open: Type.Boolean({ description: 'It may still be paid or is being checked.' }),
    problem: nullable(Type.String({ description: 'Why it is where it is, such as `unpaid:-51` or `unreachable:…`.' })),
    redirect_url: nullable(Type.String({ description: 'Where the customer pays.' })),
    instructions: nullable(Type.String({ description: 'Bank transfers: where to send the money.' })),
    transfer_to: Type.Array(BankToPay, {
      description:
        'Bank transfers that wait: the accounts to send to, any of them. The order’s id is what to write as its purpose.',
    }),
    receipt: nullable(ReceiptOfTransfer),
    rejection: nullable(Type.String({ description: 'Why staff did not accept a transfer.' })),
    reference: nullable(Type.String()),
    card: nullable(Type.String({ description: 'Masked.' })),
    invoice_id: nullable(Type.String()),
    refund: nullable(
      responseObject(
        {
          state: Type.Enum(['sending', 'sent', 'refused', 'unknown'], {
            description:
              '`sending`: the gateway is asked until it answers. `refused` and `unknown` wait for staff, who say whether the money was sent.',
          }),
          code: nullable(Type.String({ description: 'What the gateway said last.' })),
          reference: nullable(Type.String()),
          began_at: Time,
        },
        'OrderRefund',
      ),
    ),
    refunded: Toman,
    part_waits: Type.Boolean({ description: 'A part of it was sent back and nobody knows how that ended.' }),
    bank: nullable(Type.String({ description: 'Bank transfers: the account of the operator that the money came to.' })),
    created_by: Type.String(),
    created_at: Time,
    updated_at: Time,
    expires_at: Time,
  },
  'PaymentOrder',
);

/** A part of an order that is refunded. */
export const RefundPartSchema = responseObject(
  {
    number: Type.Integer(),
    amount: Toman,
    vat: Toman,
    state: Type.Enum(['sending', 'sent', 'refused', 'unknown', 'undone']),
    code: nullable(Type.String()),
    reference: nullable(Type.String()),
    reason: Type.String(),
    began_at: Time,
  },
  'RefundPart',
);

export const OrderEventSchema = responseObject(
  { at: Time, from: nullable(Type.String()), to: Type.String(), cause: Type.String(), detail: AnyJson },
  'OrderEvent',
);

export const GivenTransferReceipt = inputObject(
  {
    number: Type.String({ minLength: 1, maxLength: 60, description: 'The tracking number of the bank.' }),
    paid_on: Type.String({ maxLength: 40, description: 'The day of the transfer, in either calendar.' }),
    paid_from: Type.Optional(
      nullable(
        Type.String({
          maxLength: 60,
          description: 'The card or IBAN it was sent from; of a card only its ends are kept.',
        }),
      ),
    ),
  },
  'GivenTransferReceipt',
);

export const PartySchema = responseObject(
  {
    kind: Type.Enum(['person', 'company']),
    name: Type.String(),
    national_id: nullable(Type.String()),
    economic_code: nullable(Type.String()),
    registration_number: nullable(Type.String()),
    postal_code: nullable(Type.String()),
    address: nullable(Type.String()),
    phone: nullable(Type.String()),
  },
  'LegalIdentity',
);

const Optional = (maxLength: number, description: string) =>
  Type.Optional(nullable(Type.String({ maxLength, description })));

export const PartyInput = inputObject(
  {
    kind: Type.Enum(['person', 'company']),
    name: Type.String({ minLength: 1, maxLength: 200 }),
    national_id: Optional(20, 'Ten digits for a person, eleven for a company; the check digit must be right.'),
    economic_code: Optional(20, 'Eleven, twelve or fourteen digits.'),
    registration_number: Optional(20, 'Of a company.'),
    postal_code: Optional(20, 'Ten digits.'),
    address: Optional(500, 'As it is to be printed.'),
    phone: Optional(30, 'As it is to be printed.'),
  },
  'GivenLegalIdentity',
);

export const InvoiceSchema = responseObject(
  {
    object: Type.Literal('invoice'),
    id: Type.String(),
    number: Type.String({ description: 'Year and number without gaps.', examples: ['1405-000012'] }),
    kind: Type.Enum(['invoice', 'credit-note']),
    official: Type.Boolean({
      description: 'False for samples of play money, and for receipts of a seller who gave no details.',
    }),
    account_id: Type.String(),
    order_id: nullable(Type.String()),
    corrects: nullable(Type.String({ description: 'Credit notes: the invoice they take back.' })),
    issued_at: Time,
    jalali_date: Type.String({ examples: ['1405/08/25'] }),
    seller: PartySchema,
    buyer: PartySchema,
    lines: Type.Array(
      responseObject({
        text: responseObject({ fa: Type.String(), en: Type.String() }),
        quantity: Type.Integer(),
        amount: Toman,
      }),
    ),
    amount: Toman,
    vat: Toman,
    vat_percent: Type.String(),
    total: Toman,
    total_rial: Type.String(),
    page_url: Type.String({ description: 'Printable; opens without signing in for whoever has the address.' }),
    pdf_url: Type.String(),
  },
  'Invoice',
);

export const GatewaySchema = responseObject(
  {
    object: Type.Literal('gateway'),
    id: Type.String(),
    name: responseObject({ fa: Type.String(), en: Type.String() }),
    minimum: Toman,
    maximum: Toman,
    currency: Type.String({ description: 'What the gateway collects.', examples: ['IRR', 'IRT', 'USD'] }),
    instructions: nullable(Type.String()),
    flow: Type.Enum(['gateway', 'transfer'], {
      description: '`gateway`: the order leads to the gateway. `transfer`: the order says where to send the money.',
    }),
    sandbox: Type.Boolean({ description: 'Play money.' }),
  },
  'PaymentGateway',
);

export const GiftCodeSchema = responseObject(
  {
    object: Type.Literal('gift_code'),
    id: Type.String(),
    batch: Type.String(),
    last4: Type.String(),
    amount: Toman,
    note: nullable(Type.String()),
    state: Type.Enum(['usable', 'redeemed', 'revoked', 'expired']),
    order_id: nullable(Type.String()),
    expires_at: nullable(Time),
    created_at: Time,
  },
  'GiftCode',
);
