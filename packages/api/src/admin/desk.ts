/**
 * `/api/admin/accounts/:id/…`, described: one account as support works with it. Its head is one answer; each tab is
 * read separately.
 */
import { MEMBER_ROLES, STAFF_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { TicketText } from '../console/tickets.ts';
import { describeRoute } from '../describe-route.ts';
import { AUDIT_LOG_ENTRY } from '../schemas/audit-log-schema.ts';
import { TICKET_CATEGORIES, TicketWithMessages } from '../schemas/notice-schemas.ts';
import { SpendPeriod, Wallet } from '../schemas/rule-schemas.ts';
import { AccountSchema } from './accounts.ts';
import { OutageSchema } from './outages.ts';

const tag = 'Accounts';
const path = '/api/admin/accounts/:id';
const CARE = scoped('accounts', staff('owner', 'support'));
/** No token: programs need neither the people of an account nor how they sign in. */
const PEOPLE_READ = staff(...STAFF_ROLES);
const PEOPLE = staff('owner', 'support');
const WRITE_DOWN = scoped('support', staff('owner', 'support', 'finance'));
const Reason = Type.String({ minLength: 3, maxLength: 500, description: 'Why; the account’s own people read it too.' });

const BlockSchema = responseObject(
  {
    at: Time,
    until: nullable(Time),
    reason: Type.String({ description: 'As the customer reads it.' }),
    by: Type.String(),
    by_owner: Type.Boolean({ description: 'For longer than support may; only an owner ends it.' }),
  },
  'AccountBlock',
);
const DeskSchema = responseObject(
  {
    object: Type.Literal('account_desk'),
    account: AccountSchema,
    closed_at: nullable(Time),
    block: nullable(BlockSchema),
    wallet: Wallet,
    spend: Type.Array(SpendPeriod),
    spent_30_days: Toman,
    last_used_at: nullable(Time),
    last_day: responseObject({
      requests: Type.Integer({ description: 'Of the last 24 hours; counted up to 100,000.' }),
      failed: Type.Integer({ description: 'Without an answer, or with half of one; counted up to 10,000.' }),
      refused: Type.Integer({ description: 'Counted up to 10,000.' }),
    }),
    running: Type.Integer({ description: 'Answers that this replica is giving now.' }),
    keys: Type.Integer({ description: 'Not revoked.' }),
    members: Type.Integer(),
    open_tickets: Type.Integer(),
    outages: Type.Array(OutageSchema, {
      description: 'Models that fail customers now and that it used in the last seven days, or that failed it today.',
    }),
    incidents: Type.Array(
      responseObject({
        id: Type.String(),
        title: responseObject({ fa: Type.String(), en: Type.String() }),
        impact: Type.String(),
        vendors: Type.Array(Type.String()),
        started_at: Time,
      }),
      { description: 'Open ones of vendors whose models it used in the last seven days.' },
    ),
  },
  'AccountDesk',
);

export const getDesk = describeRoute({
  method: 'GET',
  path: `${path}/desk`,
  operationId: 'getAccountDesk',
  tag,
  access: STAFF_READ,
  summary: { fa: 'سربرگ حساب برای پشتیبانی', en: 'The head of an account’s page: state, money, use, what is open' },
  result: DeskSchema,
  errors: ['not_found'],
});

export const blockAccount = describeRoute({
  method: 'POST',
  path: `${path}/block`,
  operationId: 'blockAccount',
  tag,
  access: CARE,
  summary: { fa: 'بستن دسترسی حساب', en: 'Block an account: its keys refuse, running answers end, its money stays' },
  description: 'Support blocks for at most 24 hours, an owner with an open end (`hours: null`).',
  body: inputObject(
    { reason: Reason, hours: nullable(Type.Integer({ minimum: 1, maximum: 8_760 })) },
    'AccountBlocking',
  ),
  result: DeskSchema,
  errors: ['not_found', 'conflict'],
  example: { reason: 'unusual requests from many countries', hours: 24 },
});

export const unblockAccount = describeRoute({
  method: 'POST',
  path: `${path}/unblock`,
  operationId: 'unblockAccount',
  tag,
  access: CARE,
  summary: { fa: 'باز کردن دسترسی حساب', en: 'Unblock an account' },
  body: inputObject({ reason: Reason }, 'AccountUnblocking'),
  result: DeskSchema,
  errors: ['not_found', 'conflict'],
});

export const closeAccountFor = describeRoute({
  method: 'POST',
  path: `${path}/close`,
  operationId: 'closeAccountFor',
  tag,
  // No token: this cannot be undone.
  access: { ...PEOPLE, freshProof: true },
  summary: { fa: 'بستن همیشگی حساب', en: 'Close an account for good' },
  description:
    'Its balance must be zero and nothing held: refund it, correct it or give the debt up first. Keys, management keys and invitations end; stored texts of its requests are forgotten; its books, invoices and log stay.',
  body: inputObject({ reason: Reason }, 'AccountClosing'),
  result: DeskSchema,
  errors: ['not_found', 'conflict'],
});

export const listAccountHistory = describeRoute({
  method: 'GET',
  path: `${path}/history`,
  operationId: 'listAccountHistory',
  tag,
  access: STAFF_READ,
  summary: { fa: 'تاریخچهٔ یک حساب', en: 'What was done to an account, its keys and its people, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(responseObject(AUDIT_LOG_ENTRY, 'AccountHistoryEntry')),
  errors: ['not_found'],
});

const NoteSchema = responseObject(
  {
    object: Type.Literal('account_note'),
    id: Type.String(),
    text: Type.String(),
    request_id: nullable(Type.String()),
    pinned: Type.Boolean(),
    author: Type.String(),
    author_name: nullable(Type.String()),
    created_at: Time,
    withdrawn_at: nullable(Time),
  },
  'AccountNote',
);

export const listNotes = describeRoute({
  method: 'GET',
  path: `${path}/notes`,
  operationId: 'listAccountNotes',
  tag,
  access: STAFF_READ,
  summary: { fa: 'یادداشت‌های کارکنان', en: 'What staff wrote down about the account; customers never see it' },
  description: 'Pinned notes come first, on the first page; then the newest.',
  query: inputObject(PAGE_QUERY),
  result: pageOf(NoteSchema),
  errors: ['not_found'],
});

export const addNote = describeRoute({
  method: 'POST',
  path: `${path}/notes`,
  operationId: 'addAccountNote',
  tag,
  access: WRITE_DOWN,
  summary: { fa: 'یادداشت جدید', en: 'Write a note' },
  body: inputObject(
    {
      text: Type.String({ minLength: 1, maxLength: 2_000 }),
      request_id: Type.Optional(Type.String({ maxLength: 64, description: 'A request of this account.' })),
      pinned: Type.Optional(Type.Boolean()),
    },
    'NewAccountNote',
  ),
  status: 201,
  result: NoteSchema,
  errors: ['not_found'],
});

export const changeNote = describeRoute({
  method: 'POST',
  path: `${path}/notes/:note`,
  operationId: 'changeAccountNote',
  tag,
  access: WRITE_DOWN,
  summary: { fa: 'سنجاق کردن یا پس گرفتن یادداشت', en: 'Pin, unpin or withdraw a note; nothing is deleted' },
  body: inputObject({ act: Type.Enum(['pin', 'unpin', 'withdraw']) }, 'AccountNoteChange'),
  result: NoteSchema,
  errors: ['not_found', 'conflict'],
});

const MemberSchema = responseObject(
  {
    object: Type.Literal('account_member'),
    id: Type.String(),
    name: Type.String(),
    role: Type.Enum([...MEMBER_ROLES]),
    contacts: Type.Array(Type.String(), { description: 'Masked for viewers.' }),
    second_factor: Type.Boolean(),
    blocked: Type.Boolean(),
    staff: Type.Boolean({ description: 'Works here; only an owner acts on them.' }),
    sessions: Type.Integer(),
    last_seen_at: nullable(Time),
    joined_at: Time,
  },
  'AccountMember',
);
const InvitationSchema = responseObject(
  {
    id: Type.String(),
    to: Type.String(),
    role: Type.Enum([...MEMBER_ROLES]),
    invited_by: Type.String(),
    created_at: Time,
    expires_at: Time,
  },
  'AccountInvitation',
);
const PeopleSchema = responseObject(
  {
    object: Type.Literal('account_people'),
    members: Type.Array(MemberSchema),
    invitations: Type.Array(InvitationSchema, { description: 'Open ones.' }),
  },
  'AccountPeople',
);

export const listAccountMembers = describeRoute({
  method: 'GET',
  path: `${path}/members`,
  operationId: 'listAccountMembers',
  tag,
  access: PEOPLE_READ,
  summary: { fa: 'افراد یک حساب', en: 'The people of an account and its open invitations' },
  result: PeopleSchema,
  errors: ['not_found'],
});

export const actOnMember = describeRoute({
  method: 'POST',
  path: `${path}/members/:person`,
  operationId: 'actOnAccountMember',
  tag,
  access: PEOPLE,
  summary: { fa: 'مسدود کردن، آزاد کردن یا پایان نشست‌های عضو', en: 'Block or unblock a member, or end their sessions' },
  body: inputObject({ act: Type.Enum(['block', 'unblock', 'sign_out']), reason: Reason }, 'MemberAct'),
  result: PeopleSchema,
  errors: ['not_found', 'conflict'],
});

export const inviteAgain = describeRoute({
  method: 'POST',
  path: `${path}/invitations/:invitation`,
  operationId: 'inviteAgain',
  tag,
  access: PEOPLE,
  summary: { fa: 'ارسال دوبارهٔ دعوت', en: 'Send an open invitation again, with a new link' },
  description: 'The link goes to the invited number or address and is in no answer.',
  result: PeopleSchema,
  errors: ['not_found', 'rate_limited'],
});

export const actOnAccountKey = describeRoute({
  method: 'POST',
  path: `${path}/keys/:key`,
  operationId: 'actOnAccountKey',
  tag,
  access: CARE,
  summary: {
    fa: 'توقف، ازسرگیری یا ابطال کلید با دلیل، یا درخواست تعویض از مشتری',
    en: 'Pause, resume or revoke a key with a reason, or ask the customer to rotate it',
  },
  body: inputObject({ act: Type.Enum(['pause', 'resume', 'revoke', 'ask_rotation']), reason: Reason }, 'KeyAct'),
  result: responseObject({ id: Type.String(), done: Type.Boolean() }, 'KeyActDone'),
  errors: ['not_found', 'conflict'],
});

export const openTicketFor = describeRoute({
  method: 'POST',
  path: `${path}/tickets`,
  operationId: 'openTicketFor',
  tag,
  access: WRITE_DOWN,
  summary: { fa: 'تیکت از طرف پشتیبانی', en: 'Open a ticket for the customer, who is told of it' },
  body: inputObject(
    {
      category: Type.Enum([...TICKET_CATEGORIES]),
      subject: Type.String({ minLength: 1, maxLength: 200 }),
      text: TicketText,
    },
    'NewTicketFor',
  ),
  status: 201,
  result: TicketWithMessages,
  errors: ['not_found'],
});
