/** Credit by hand, its limits and its approval, described. */

import { CORRECTION_REASONS, CREDIT_KINDS, HAND_KINDS } from '@dargah/core/hand-kinds.ts';
import Type from 'typebox';
import { ACCOUNT_MONEY_READ, scoped, staff } from '../access.ts';
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

const tag = 'Credit';
const STAFF = staff('owner', 'finance', 'support');
const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const Day = (description: string) => text(10, `${description} \`2026-11-17\`, or as a Jalali day \`1405-08-26\`.`);

const ApprovalSchema = responseObject(
  {
    object: Type.Literal('approval'),
    id: Type.String(),
    state: Type.Enum(['waiting', 'approved', 'refused', 'withdrawn', 'expired']),
    kind: Type.Enum([...HAND_KINDS]),
    account_id: Type.String(),
    amount: Type.String({ description: 'Toman; positive into the wallet, negative out of it.' }),
    number: nullable(Type.String()),
    note: nullable(Type.String()),
    public_note: nullable(Type.String()),
    order_id: nullable(Type.String()),
    balance_before: Type.String({ description: 'Of the wallet when it was asked for.' }),
    reason: Type.String({ description: 'Why the act is asked for beyond the limits.' }),
    asked_by: Type.String(),
    asked_by_name: nullable(Type.String()),
    decided_by: nullable(Type.String()),
    decided_by_name: nullable(Type.String()),
    decided_at: nullable(Time),
    decision_note: nullable(Type.String()),
    alone: Type.Boolean({ description: 'Decided by whoever asked, because nobody else could.' }),
    expires_at: Time,
    created_at: Time,
  },
  'Approval',
);

const Booked = responseObject(
  {
    object: Type.Literal('credit'),
    state: Type.Enum(['booked', 'waiting'], { description: '`waiting`: a second person must approve it first.' }),
    kind: Type.Enum([...CREDIT_KINDS]),
    account_id: Type.String(),
    amount: Toman,
    number: nullable(Type.String()),
    transfer_id: nullable(Type.String()),
    order_id: nullable(Type.String({ description: 'Of a receipt: its order, which has the invoice.' })),
    balance: Toman,
    approval: nullable(ApprovalSchema),
  },
  'CreditByHand',
);

export const giveCredit = describeRoute({
  method: 'POST',
  path: '/api/admin/accounts/:id/credit',
  operationId: 'giveCredit',
  tag,
  summary: { fa: 'ثبت اعتبار دستی', en: 'Book credit by hand; once per number' },
  description:
    'A `receipt` is money on a bank account of yours: it becomes an order of bank transfer with its invoice, VAT on top of `amount`. A `correction` may be negative. A `gift` may end on a `last_day`; what is left of it is taken back then. A `request-refund` pays a request back. `bad-debt` gives up what a wallet owes. The same `number` with the same content again changes nothing; with another content it is refused. Beyond your limits nothing is booked, unless `ask` says why a second person should approve it.',
  body: inputObject(
    {
      kind: Type.Enum([...CREDIT_KINDS]),
      amount: TomanInput,
      number: Type.String({
        minLength: 1,
        maxLength: 100,
        description: "The paper's: of a receipt the bank's, otherwise yours.",
      }),
      note: text(500, 'What staff should know. Needed for everything but a receipt.'),
      public_note: text(200, 'What the customer reads beside the amount.'),
      reason: Type.Optional(Type.Enum([...CORRECTION_REASONS], { description: 'Of a correction.' })),
      request_id: text(64, 'The request that is paid back or corrected.'),
      ticket_id: text(64, 'The ticket that it came from.'),
      campaign: text(100, 'Of a gift: what it is given for.'),
      last_day: Day('Of a gift: the last day on which it can be used, in Tehran.'),
      bank: text(40, 'Of a receipt: the id of your bank account; the first without it.'),
      dated_on: Day('Of a receipt: the day on it.'),
      payer: text(200, 'Of a receipt: who paid.'),
      ask: text(500, 'Why a second person should approve it, where it is beyond your limits.'),
    },
    'NewCredit',
  ),
  result: Booked,
  status: 201,
  errors: ['not_found', 'conflict', 'credit_limit_exceeded'],
  example: { kind: 'receipt', amount: 500_000, number: '140508261234', dated_on: '2026-11-17', payer: 'Sara Ahmadi' },
  access: scoped('credit', STAFF),
});

const HandEntrySchema = responseObject(
  {
    object: Type.Literal('hand_entry'),
    id: Type.String({ description: 'Its transfer; of gift codes their batch.' }),
    kind: Type.Enum([...HAND_KINDS]),
    account_id: nullable(Type.String()),
    amount: Type.String({ description: 'Toman; positive into the wallet, negative out of it.' }),
    number: nullable(Type.String()),
    reason: nullable(Type.String()),
    note: nullable(Type.String()),
    last_day: nullable(Type.String()),
    ended_at: nullable(Time),
    actor: Type.String(),
    actor_name: nullable(Type.String()),
    approved_by: nullable(Type.String()),
    approved_by_name: nullable(Type.String()),
    alone: Type.Boolean(),
    created_at: Time,
  },
  'HandEntry',
);

export const listHandEntries = describeRoute({
  method: 'GET',
  path: '/api/admin/credit/entries',
  operationId: 'listHandEntries',
  tag,
  summary: { fa: 'آنچه دستی ثبت شده است', en: 'What was booked by hand, newest first' },
  query: inputObject({
    ...PAGE_QUERY,
    account_id: Type.Optional(Type.String({ maxLength: 64 })),
    actor: Type.Optional(Type.String({ maxLength: 100 })),
    kind: Type.Optional(Type.Enum([...HAND_KINDS])),
  }),
  result: pageOf(HandEntrySchema),
  access: ACCOUNT_MONEY_READ,
});

const Pair = responseObject(
  {
    act: Toman,
    day: Toman,
    account: nullable(
      Type.String({
        description: 'What everybody of the role may book for one account in 30 days; null: not limited.',
      }),
    ),
  },
  'CreditLimitPair',
);
const RoleLimits = responseObject({ credit: Pair, receipt: Pair }, 'RoleCreditLimits');
const LimitsSchema = responseObject(
  {
    object: Type.Literal('credit_limits'),
    owner: RoleLimits,
    finance: RoleLimits,
    support: RoleLimits,
    day_notice: Type.String({ description: 'From which sum booked by hand on a day staff is told of it, in toman.' }),
  },
  'CreditLimits',
);
const PairInput = inputObject({ act: TomanInput, day: TomanInput, account: Type.Optional(nullable(TomanInput)) });
const RoleInput = inputObject({ credit: PairInput, receipt: PairInput });

export const getCreditLimits = describeRoute({
  method: 'GET',
  path: '/api/admin/credit/limits',
  operationId: 'getCreditLimits',
  tag,
  summary: { fa: 'سقف‌های اعتبار دستی', en: 'Limits of credit by hand, by role' },
  result: LimitsSchema,
  access: scoped('read', STAFF),
});

export const setCreditLimits = describeRoute({
  method: 'PUT',
  path: '/api/admin/credit/limits',
  operationId: 'setCreditLimits',
  tag,
  summary: { fa: 'تغییر سقف‌های اعتبار دستی', en: 'Set the limits of credit by hand; acts that wait go on waiting' },
  body: inputObject(
    { owner: RoleInput, finance: RoleInput, support: RoleInput, day_notice: Type.Optional(TomanInput) },
    'NewCreditLimits',
  ),
  result: LimitsSchema,
  access: { ...staff('owner'), freshProof: true },
});

const approvals = '/api/admin/approvals';

export const listApprovals = describeRoute({
  method: 'GET',
  path: approvals,
  operationId: 'listApprovals',
  tag,
  summary: { fa: 'درخواست‌های تأیید', en: 'What waits for a second person, and what became of it' },
  description: 'Support sees what it asked for itself.',
  query: inputObject({
    ...PAGE_QUERY,
    state: Type.Optional(Type.Enum(['waiting', 'approved', 'refused', 'withdrawn', 'expired'])),
    account_id: Type.Optional(Type.String({ maxLength: 64 })),
  }),
  result: pageOf(ApprovalSchema),
  access: scoped('read', STAFF),
});

export const askApproval = describeRoute({
  method: 'POST',
  path: approvals,
  operationId: 'askApproval',
  tag,
  summary: {
    fa: 'درخواست تأیید برای یک سفارش',
    en: 'Ask a second person to confirm or refund an order beyond your limits',
  },
  body: inputObject(
    {
      kind: Type.Enum(['confirmed-transfer', 'order-refund']),
      order_id: Type.String({ minLength: 1, maxLength: 64 }),
      reason: Type.String({ minLength: 3, maxLength: 500 }),
      reference: text(100, "Of a transfer: the bank's number."),
      amount: Type.Optional(TomanInput),
      bank: text(40, 'The id of your bank account that it came to or leaves.'),
    },
    'NewApproval',
  ),
  status: 201,
  result: ApprovalSchema,
  errors: ['not_found', 'conflict'],
  example: { kind: 'order-refund', order_id: 'ord_1', reason: 'sent back by the bank' },
  access: staff('owner', 'finance'),
});

export const decideApproval = describeRoute({
  method: 'POST',
  path: `${approvals}/:id/decision`,
  operationId: 'decideApproval',
  tag,
  summary: { fa: 'تصمیم دربارهٔ درخواست', en: 'Approve or refuse what another person asked for' },
  body: inputObject(
    {
      approve: Type.Boolean(),
      note: text(500, 'For whoever asked.'),
    },
    'ApprovalDecision',
  ),
  result: ApprovalSchema,
  errors: ['not_found', 'conflict'],
  example: { approve: true },
  access: { ...staff('owner', 'finance'), freshProof: true },
});

export const withdrawApproval = describeRoute({
  method: 'DELETE',
  path: `${approvals}/:id`,
  operationId: 'withdrawApproval',
  tag,
  summary: { fa: 'پس گرفتن درخواست خود', en: 'Withdraw what you asked for' },
  result: ApprovalSchema,
  errors: ['not_found', 'conflict'],
  access: STAFF,
});
