/** The account's API keys, described: rules, rotation with an overlap, and the tester that spends nothing. */
import Type from 'typebox';
import {
  AnyJson,
  closed,
  GivenToman,
  nullable,
  PAGE_QUERY,
  pageOf,
  shown,
  Time,
  Toman,
} from '../../openapi/building-blocks.ts';
import { member } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import { GivenKeyRules, ShownKeyRules, SpendPeriod } from '../../rule-shapes.ts';
import { Name, PromptLogging } from '../shapes.ts';

const tag = 'Keys of the account';
const path = '/api/console/keys';
const READ = member('keys', 'read', 'owner', 'admin', 'developer', 'viewer');
const WRITE = member('keys', 'write', 'owner', 'admin', 'developer');

const fields = {
  object: Type.Literal('key'),
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  last4: Type.String(),
  rules: ShownKeyRules,
  log_prompts: nullable(PromptLogging),
  playground: Type.Boolean({ description: 'The key that the playground is charged to; it has no text.' }),
  overlap: nullable(shown({ last4: Type.String(), until: Time }, 'KeyOverlap')),
  managed_by: Type.String(),
  last_used_at: nullable(Time),
  created_at: Time,
  updated_at: Time,
  revoked_at: nullable(Time),
};
const ConsoleKey = shown(fields, 'ConsoleKey');
const Fresh = shown(
  { ...fields, key: Type.String({ description: 'The key itself, shown this once.' }) },
  'FreshConsoleKey',
);
const LogPrompts = Type.Optional(nullable(PromptLogging));

export const listKeys = describeRoute({
  method: 'GET',
  path,
  operationId: 'listOwnKeys',
  tag,
  access: READ,
  summary: { fa: 'کلیدها', en: 'Keys, newest first' },
  query: closed(PAGE_QUERY),
  result: pageOf(ConsoleKey),
});

export const createKey = describeRoute({
  method: 'POST',
  path,
  operationId: 'createOwnKey',
  tag,
  access: WRITE,
  summary: { fa: 'ساختن کلید', en: 'Create a key; its text is shown once' },
  body: closed({ name: Name, rules: Type.Optional(GivenKeyRules), log_prompts: LogPrompts }, 'NewOwnKey'),
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
  access: READ,
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
  body: closed(
    { name: Type.Optional(Name), rules: Type.Optional(GivenKeyRules), log_prompts: LogPrompts },
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
  access: READ,
  summary: { fa: 'مصرف کلید در هر دوره', en: 'What the key has spent and holds, per period' },
  result: shown({ object: Type.Literal('spend'), key_id: Type.String(), spend: Type.Array(SpendPeriod) }, 'KeySpend'),
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
  fa: 'پایان همپوشانی: متن پیشین همین حالا از کار می‌افتد',
  en: 'End the overlap: the former text stops working now',
});

export const rotateKey = describeRoute({
  method: 'POST',
  path: `${path}/:id/rotate`,
  operationId: 'rotateOwnKey',
  tag,
  access: WRITE,
  summary: { fa: 'متن تازه برای کلید', en: 'Give the key a new text; both work for a while' },
  body: closed(
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

/** What a dry run tells: each rule in the order of checking, the first that refuses, and the numbers behind it. */
const DryRun = shown(
  {
    object: Type.Literal('dry_run'),
    passes: Type.Boolean(),
    rules: Type.Array(
      shown(
        {
          rule: Type.String(),
          verdict: Type.Enum(['passes', 'refuses', 'not_reached']),
          code: nullable(Type.String({ description: 'The error a real request would get.' })),
          detail: Type.Record(Type.String(), AnyJson),
          message: nullable(Type.String()),
        },
        'RuleVerdict',
      ),
    ),
    model: nullable(Type.String()),
    tokens: nullable(shown({ input: Type.Integer(), output: Type.Integer() })),
    price: nullable(shown({ version: Type.String(), least: Toman, most: Toman })),
    hold: nullable(Toman),
    routes: Type.Array(
      shown({ order: Type.Integer(), provider: nullable(Type.String()), reason: Type.String() }, 'DryRoute'),
    ),
    notes: Type.Array(Type.String()),
  },
  'DryRun',
);

export const testKey = describeRoute({
  method: 'POST',
  path: `${path}/:id/test`,
  operationId: 'testOwnKey',
  tag,
  access: READ,
  summary: {
    fa: 'آزمودن قواعد کلید بی هزینه',
    en: 'Would this request pass? Every rule in its order; nothing is spent',
  },
  body: closed(
    {
      endpoint: Type.Optional(Type.Enum(['chat.completions', 'messages', 'responses'])),
      request: Type.Record(Type.String(), AnyJson, { description: 'The body as it would be sent.' }),
      ip: Type.Optional(Type.String({ maxLength: 64, description: 'From where; your own address when absent.' })),
      referrer: Type.Optional(Type.String({ maxLength: 512 })),
      at: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339; for keys that expire.' })),
    },
    'KeyTest',
  ),
  result: DryRun,
  errors: ['not_found'],
  example: { request: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'سلام' }] }, ip: '203.0.113.7' },
});

const ManagementRules = shown({
  resources: Type.Record(Type.String(), Type.Enum(['read', 'write'])),
  ips: nullable(Type.Array(Type.String())),
  expires_at: nullable(Time),
});
const managementFields = {
  object: Type.Literal('management_key'),
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  last4: Type.String(),
  ...ManagementRules.properties,
  created_by: Type.String(),
  created_at: Time,
  last_used_at: nullable(Time),
  revoked_at: nullable(Time),
};
const ManagementKey = shown(managementFields, 'ManagementKey');
const managers = { ...member('management_keys', 'write', 'owner', 'admin'), personOnly: true } as const;

export const listManagementKeys = describeRoute({
  method: 'GET',
  path: '/api/console/management-keys',
  operationId: 'listManagementKeys',
  tag: 'Management keys',
  access: { ...member('management_keys', 'read', 'owner', 'admin'), personOnly: true },
  summary: { fa: 'کلیدهای مدیریت', en: 'Management keys' },
  result: pageOf(ManagementKey),
});

export const createManagementKey = describeRoute({
  method: 'POST',
  path: '/api/console/management-keys',
  operationId: 'createManagementKey',
  tag: 'Management keys',
  access: managers,
  summary: { fa: 'ساختن کلید مدیریت', en: 'Create a management key; its text is shown once' },
  body: closed(
    {
      name: Name,
      resources: Type.Record(Type.String({ maxLength: 32 }), Type.Enum(['read', 'write']), {
        description: 'Of account, members, keys, requests, wallet, knowledge, alerts, tickets, playground.',
      }),
      ips: Type.Optional(nullable(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 }))),
      expires_at: Type.Optional(nullable(Type.String({ maxLength: 40 }))),
    },
    'NewManagementKey',
  ),
  status: 201,
  result: shown({ ...managementFields, key: Type.String() }, 'FreshManagementKey'),
  example: { name: 'terraform', resources: { keys: 'write', requests: 'read' } },
});

export const revokeManagementKey = describeRoute({
  method: 'DELETE',
  path: '/api/console/management-keys/:id',
  operationId: 'revokeManagementKey',
  tag: 'Management keys',
  access: managers,
  summary: { fa: 'ابطال کلید مدیریت', en: 'Revoke a management key' },
  result: ManagementKey,
  errors: ['not_found', 'conflict'],
});

const playing = ['owner', 'admin', 'developer'] as const;

export const getPlayground = describeRoute({
  method: 'GET',
  path: '/api/console/playground',
  operationId: 'getPlayground',
  tag: 'Playground',
  access: member('playground', 'read', ...playing),
  summary: {
    fa: 'کلید زمین بازی و مدل‌های مجاز',
    en: 'The key that the playground is charged to, and the models it may use',
  },
  result: shown({ key: ConsoleKey, models: Type.Array(AnyJson) }, 'Playground'),
});

export const changePlayground = describeRoute({
  method: 'PATCH',
  path: '/api/console/playground',
  operationId: 'changePlayground',
  tag: 'Playground',
  access: member('playground', 'write', 'owner', 'admin'),
  summary: { fa: 'تغییر سقف زمین بازی', en: 'Change the caps of the playground' },
  body: closed(
    { daily: Type.Optional(nullable(GivenToman)), monthly: Type.Optional(nullable(GivenToman)) },
    'PlaygroundCaps',
  ),
  result: ConsoleKey,
});

export const playgroundChat = describeRoute({
  method: 'POST',
  path: '/api/console/playground/chat',
  operationId: 'playgroundChat',
  tag: 'Playground',
  access: member('playground', 'write', ...playing),
  summary: { fa: 'گفت‌وگو در زمین بازی', en: 'Chat, charged to the playground key' },
  description: 'The body and the answer are those of `POST /api/v1/chat/completions`, streams included.',
  body: Type.Record(Type.String(), AnyJson),
  result: AnyJson,
  streams: true,
  errors: ['insufficient_balance', 'spend_cap_reached', 'rate_limited', 'model_not_found', 'upstream_error'],
});
