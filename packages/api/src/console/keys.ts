/** The account's API keys, described: rules, spend and rotation with an overlap. */
import Type from 'typebox';
import { member } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { KeyRulesInput, KeyRulesResponse, SpendPeriod } from '../schemas/rule-schemas.ts';
import { Name, PromptLoggingSchema } from './console-schemas.ts';

const tag = 'Keys of the account';
const path = '/api/console/keys';
export const READ_KEYS = member('keys', 'read', 'owner', 'admin', 'developer', 'viewer');
const WRITE = member('keys', 'write', 'owner', 'admin', 'developer');

const KeyMaker = responseObject(
  {
    kind: Type.Enum(['member', 'management_key', 'service'], {
      description: '`service`: staff, the configuration file, or the first start.',
    }),
    id: nullable(Type.String({ description: 'As `by=member` of the usage names them.' })),
    name: nullable(Type.String()),
  },
  'KeyMaker',
);

const fields = {
  object: Type.Literal('key'),
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  last4: Type.String(),
  rules: KeyRulesResponse,
  log_prompts: nullable(PromptLoggingSchema),
  playground: Type.Boolean({ description: 'The key that the playground is charged to; it has no text.' }),
  overlap: nullable(responseObject({ last4: Type.String(), until: Time }, 'KeyOverlap')),
  managed_by: Type.String(),
  /** Null where it was not recorded, and for the key of the playground, which all members share. */
  created_by: nullable(KeyMaker),
  last_used_at: nullable(Time),
  created_at: Time,
  updated_at: Time,
  revoked_at: nullable(Time),
};
export const ConsoleKey = responseObject(fields, 'ConsoleKey');
const Fresh = responseObject(
  { ...fields, key: Type.String({ description: 'The key itself, shown this once.' }) },
  'FreshConsoleKey',
);
const LogPrompts = Type.Optional(nullable(PromptLoggingSchema));

export const listKeys = describeRoute({
  method: 'GET',
  path,
  operationId: 'listOwnKeys',
  tag,
  access: READ_KEYS,
  summary: { fa: 'کلیدها', en: 'Keys, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(ConsoleKey),
});

export const createKey = describeRoute({
  method: 'POST',
  path,
  operationId: 'createOwnKey',
  tag,
  access: WRITE,
  summary: { fa: 'ساختن کلید', en: 'Create a key; its text is shown once' },
  body: inputObject({ name: Name, rules: Type.Optional(KeyRulesInput), log_prompts: LogPrompts }, 'NewOwnKey'),
  status: 201,
  result: Fresh,
  errors: ['conflict'],
  example: { name: 'backend', rules: { rpm: 60, caps: { daily: 20_000 } } },
});

export const getKey = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getOwnKey',
  tag,
  access: READ_KEYS,
  summary: { fa: 'یک کلید', en: 'One key' },
  result: ConsoleKey,
  errors: ['not_found'],
});

export const changeKey = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'changeOwnKey',
  tag,
  access: WRITE,
  summary: { fa: 'تغییر نام یا قواعد کلید', en: 'Change name or rules' },
  description: 'Only the fields given change. `null` lifts a limit.',
  body: inputObject(
    { name: Type.Optional(Name), rules: Type.Optional(KeyRulesInput), log_prompts: LogPrompts },
    'OwnKeyChange',
  ),
  result: ConsoleKey,
  errors: ['not_found', 'conflict'],
  example: { rules: { rpm: 30 } },
});

export const getKeySpend = describeRoute({
  method: 'GET',
  path: `${path}/:id/spend`,
  operationId: 'getOwnKeySpend',
  tag,
  access: READ_KEYS,
  summary: { fa: 'مصرف کلید در هر دوره', en: 'What the key has spent and holds, per period' },
  result: responseObject(
    { object: Type.Literal('spend'), key_id: Type.String(), spend: Type.Array(SpendPeriod) },
    'KeySpend',
  ),
  errors: ['not_found'],
});

const act = <const Verb extends string>(verb: Verb, operationId: string, summary: { fa: string; en: string }) =>
  describeRoute({
    method: 'POST',
    path: `/api/console/keys/:id/${verb}`,
    operationId,
    tag,
    access: WRITE,
    summary,
    result: ConsoleKey,
    errors: ['not_found', 'conflict'],
  });

export const pauseKey = act('pause', 'pauseOwnKey', { fa: 'توقف کلید', en: 'Pause a key' });
export const resumeKey = act('resume', 'resumeOwnKey', { fa: 'ازسرگیری کلید', en: 'Resume a paused key' });
export const revokeKey = act('revoke', 'revokeOwnKey', { fa: 'ابطال کلید', en: 'Revoke a key for good' });
export const endOverlap = act('end-overlap', 'endOwnKeyOverlap', {
  fa: 'پایان همپوشانی: کلید قبلی همین حالا از کار می‌افتد',
  en: 'End the overlap: the former text stops working now',
});

export const rotateKey = describeRoute({
  method: 'POST',
  path: `${path}/:id/rotate`,
  operationId: 'rotateOwnKey',
  tag,
  access: WRITE,
  summary: { fa: 'تعویض کلید', en: 'Give the key a new text; both work for a while' },
  body: inputObject(
    {
      overlap_hours: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 720, default: 24, description: 'How long the former text still works.' }),
      ),
    },
    'KeyRotation',
  ),
  result: Fresh,
  errors: ['not_found', 'conflict'],
  example: { overlap_hours: 24 },
});
