/** The account itself, described: its settings, closing it, and the export of everything it has. */

import { PROMPT_LOGGING_FIELDS } from '@dargah/core/fields/index.ts';
import { MEMBER_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { inputObject, nullable, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { alwaysShown } from '../field-schema.ts';
import {
  AccountRulesResponse,
  CalendarInput,
  CalendarResponse,
  OwnCaps,
  OwnCapsInput,
} from '../schemas/rule-schemas.ts';
import { Done, MemberRoleSchema, Name, PromptLoggingSchema } from './console-schemas.ts';

const tag = 'Account';
const path = '/api/console/account';
const WRITE = member('account', 'write', 'owner', 'admin');

const ConsoleAccount = responseObject(
  {
    object: Type.Literal('account'),
    id: Type.String(),
    name: Type.String(),
    role: MemberRoleSchema,
    rules: AccountRulesResponse,
    own_caps: OwnCaps,
    calendar: CalendarResponse,
    log_prompts: responseObject(alwaysShown(PROMPT_LOGGING_FIELDS)),
    suppliers_shown: Type.Boolean({ description: 'Whether the operator lets suppliers be named.' }),
    created_at: Time,
    closed_at: nullable(Time),
  },
  'ConsoleAccount',
);

export const getOwnAccount = describeRoute({
  method: 'GET',
  path,
  operationId: 'getOwnAccount',
  tag,
  access: member('account', 'read', ...MEMBER_ROLES),
  summary: { fa: 'حساب', en: 'The account' },
  result: ConsoleAccount,
});

export const changeOwnAccount = describeRoute({
  method: 'PATCH',
  path,
  operationId: 'changeOwnAccount',
  tag,
  access: WRITE,
  summary: { fa: 'تغییر نام، تقویم و نگهداری متن‌ها', en: 'Change name, calendar, or whether texts are kept' },
  body: inputObject(
    {
      name: Type.Optional(Name),
      calendar: Type.Optional(CalendarInput),
      log_prompts: Type.Optional(PromptLoggingSchema),
    },
    'OwnAccountChange',
  ),
  result: ConsoleAccount,
  errors: ['conflict'],
  example: { log_prompts: { enabled: true, days: 7 } },
});

export const setOwnCaps = describeRoute({
  method: 'PUT',
  path: `${path}/caps`,
  operationId: 'setOwnCaps',
  tag,
  access: WRITE,
  summary: { fa: 'تعیین سقف خرج کل حساب', en: 'Set spend caps for the whole account' },
  description:
    'Caps that the account sets for itself, over all of its keys. Where staff set one too, the stricter counts. Periods that are not given keep theirs; `null` lifts one.',
  body: OwnCapsInput,
  result: ConsoleAccount,
  example: { daily: 200_000, monthly: 3_000_000 },
});

export const leaveAccount = describeRoute({
  method: 'POST',
  path: `${path}/leave`,
  operationId: 'leaveAccount',
  tag,
  access: { ...member('account', 'write', ...MEMBER_ROLES), personOnly: true },
  summary: { fa: 'ترک حساب', en: 'Leave the account; its owner cannot' },
  result: Done,
  errors: ['conflict'],
});

export const transferOwnership = describeRoute({
  method: 'POST',
  path: `${path}/transfer-ownership`,
  operationId: 'transferOwnership',
  tag,
  access: { ...member('account', 'write', 'owner'), personOnly: true },
  summary: { fa: 'واگذاری مالکیت', en: 'Make another member the owner; the owner becomes an admin' },
  body: inputObject({ member_id: Type.String({ maxLength: 64 }) }, 'OwnershipTransfer'),
  result: Done,
  errors: ['not_found', 'conflict'],
});

export const exportAccount = describeRoute({
  method: 'GET',
  path: `${path}/export`,
  operationId: 'exportAccount',
  tag,
  access: member('account', 'read', 'owner', 'admin'),
  summary: { fa: 'دریافت خروجی همهٔ داده‌ها', en: 'Everything of the account as lines of JSON' },
  description:
    'One JSON object per line: account, members, keys without secrets, transfers, requests, knowledge bases.',
  result: Type.String({ title: 'AccountExport' }),
  resultType: 'application/x-ndjson',
});

export const closeAccount = describeRoute({
  method: 'POST',
  path: `${path}/close`,
  operationId: 'closeAccount',
  tag,
  access: { ...member('account', 'write', 'owner'), personOnly: true },
  summary: { fa: 'بستن حساب', en: 'Close the account: keys are revoked, nothing can be spent any more' },
  description: 'What is left in the wallet stays on the books and is paid back by the operator.',
  body: inputObject(
    { confirm: Type.String({ maxLength: 200, description: 'The name of the account.' }) },
    'AccountClosing',
  ),
  result: responseObject(
    { done: Type.Boolean(), balance_left: Type.String(), keys_revoked: Type.Integer() },
    'AccountClosed',
  ),
  errors: ['conflict'],
});
