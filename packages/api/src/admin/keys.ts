/** `/api/admin/keys`, described: a key's text is in the answer that makes it and nowhere else. */
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import {
  inputObject,
  ManagedBySchema,
  nullable,
  PAGE_QUERY,
  pageOf,
  responseObject,
  Time,
} from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { KeyRulesInput, KeyRulesResponse, SpendPeriod } from '../schemas/rule-schemas.ts';

const fields = {
  object: Type.Literal('key'),
  id: Type.String(),
  account_id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'How the key begins.' }),
  last4: Type.String(),
  rules: KeyRulesResponse,
  managed_by: ManagedBySchema,
  created_at: Time,
  updated_at: Time,
  revoked_at: nullable(Time),
};
const KeySchema = responseObject(fields, 'ApiKey');
const FreshKey = responseObject(
  { ...fields, key: Type.String({ description: 'The key itself, shown this once.' }) },
  'FreshKey',
);
const KeySpend = responseObject(
  { object: Type.Literal('spend'), key_id: Type.String(), spend: Type.Array(SpendPeriod) },
  'KeySpend',
);
const Name = Type.String({ minLength: 1, maxLength: 200 });
const NewKey = inputObject(
  { account_id: Type.String({ maxLength: 64 }), name: Name, rules: Type.Optional(KeyRulesInput) },
  'NewKey',
);
const KeyChange = inputObject({ name: Type.Optional(Name), rules: Type.Optional(KeyRulesInput) }, 'KeyChange');
const tag = 'Keys';
const path = '/api/admin/keys';
/**
 * Only the owner of the service: whoever makes a key sees its text, and whoever changes its rules decides what it opens. Both are
 * the customer's.
 */
const OWNER = scoped('accounts', staff('owner'));
const CARE = scoped('accounts', staff('owner', 'support'));

export const createKey = describeRoute({
  method: 'POST',
  path,
  operationId: 'createKey',
  tag,
  summary: { fa: 'ساختن کلید', en: 'Create a key; its text is shown once' },
  description:
    'In a session, only for an account of staff or of the configuration file: customers make their own keys. The operator’s token makes keys for every account.',
  body: NewKey,
  result: FreshKey,
  status: 201,
  errors: ['not_found', 'forbidden'],
  example: { account_id: 'acme', name: 'backend', rules: { rpm: 60, models: ['group:economical'] } },
  access: OWNER,
});

export const listKeys = describeRoute({
  method: 'GET',
  path,
  operationId: 'listKeys',
  tag,
  summary: { fa: 'فهرست کلیدها', en: 'List keys, newest first' },
  query: inputObject({ account_id: Type.Optional(Type.String({ maxLength: 64 })), ...PAGE_QUERY }),
  result: pageOf(KeySchema),
  access: STAFF_READ,
});

export const getKey = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getKey',
  tag,
  summary: { fa: 'یک کلید', en: 'One key' },
  result: KeySchema,
  errors: ['not_found'],
  access: STAFF_READ,
});

export const getKeySpend = describeRoute({
  method: 'GET',
  path: `${path}/:id/spend`,
  operationId: 'getKeySpend',
  tag,
  summary: { fa: 'مصرف کلید در هر دوره', en: 'What the key has spent and holds, per period' },
  result: KeySpend,
  errors: ['not_found'],
  access: STAFF_READ,
});

export const changeKey = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'changeKey',
  tag,
  summary: { fa: 'تغییر نام یا قواعد کلید', en: 'Change name or rules' },
  description: 'Only the fields given change. `null` lifts a limit. In force on every replica within a second.',
  body: KeyChange,
  result: KeySchema,
  errors: ['not_found', 'conflict'],
  example: { rules: { rpm: 30 } },
  access: OWNER,
});

export const pauseKey = describeRoute({
  method: 'POST',
  path: `${path}/:id/pause`,
  operationId: 'pauseKey',
  tag,
  summary: { fa: 'توقف کلید', en: 'Pause a key' },
  result: KeySchema,
  errors: ['not_found', 'conflict'],
  access: CARE,
});

export const resumeKey = describeRoute({
  method: 'POST',
  path: `${path}/:id/resume`,
  operationId: 'resumeKey',
  tag,
  summary: { fa: 'ازسرگیری کلید', en: 'Resume a paused key' },
  result: KeySchema,
  errors: ['not_found', 'conflict'],
  access: CARE,
});

export const revokeKey = describeRoute({
  method: 'POST',
  path: `${path}/:id/revoke`,
  operationId: 'revokeKey',
  tag,
  summary: { fa: 'ابطال کلید', en: 'Revoke a key for good' },
  result: KeySchema,
  errors: ['not_found', 'conflict'],
  access: CARE,
});

export const rotateKey = describeRoute({
  method: 'POST',
  path: `${path}/:id/rotate`,
  operationId: 'rotateKey',
  tag,
  summary: { fa: 'تعویض کلید', en: 'Give the key a new text; the old one stops working' },
  result: FreshKey,
  errors: ['not_found', 'conflict'],
  access: OWNER,
});
