/** `/api/admin/keys`: a key's text is in the answer that makes it and nowhere else. */
import Type from 'typebox';
import type { AccountService } from '../../accounts/index.ts';
import type { Json } from '../../core/json.ts';
import { type ApiKey, type KeyService, renderKeyRules } from '../../keys/index.ts';
import { closed, ManagedBy, nullable, PAGE_QUERY, page, pageOf, shown, Time } from '../openapi/building-blocks.ts';
import type { RegisterOperatorRoute } from './operator-routes.ts';
import { GivenKeyRules, ShownKeyRules, SpendPeriod } from './rule-shapes.ts';
import type { Spending } from './spending.ts';

const fields = {
  object: Type.Literal('key'),
  id: Type.String(),
  account_id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'How the key begins.' }),
  last4: Type.String(),
  rules: ShownKeyRules,
  managed_by: ManagedBy,
  created_at: Time,
  updated_at: Time,
  revoked_at: nullable(Time),
};
const KeyShape = shown(fields, 'ApiKey');
const FreshKey = shown(
  { ...fields, key: Type.String({ description: 'The key itself, shown this once.' }) },
  'FreshKey',
);
const KeySpend = shown(
  { object: Type.Literal('spend'), key_id: Type.String(), spend: Type.Array(SpendPeriod) },
  'KeySpend',
);

const Name = Type.String({ minLength: 1, maxLength: 200 });
const NewKey = closed(
  { account_id: Type.String({ maxLength: 64 }), name: Name, rules: Type.Optional(GivenKeyRules) },
  'NewKey',
);
const KeyChange = closed({ name: Type.Optional(Name), rules: Type.Optional(GivenKeyRules) }, 'KeyChange');

const tag = 'Keys';
const path = '/api/admin/keys';

export function keys(
  register: RegisterOperatorRoute,
  service: KeyService,
  accounts: AccountService,
  spending: Spending,
): void {
  register({
    method: 'POST',
    path,
    operationId: 'createKey',
    tag,
    summary: { fa: 'ساختن کلید', en: 'Create a key; its text is shown once' },
    body: NewKey,
    result: FreshKey,
    status: 201,
    errors: ['not_found'],
    example: { account_id: 'acme', name: 'backend', rules: { rpm: 60, models: ['group:economical'] } },
    run: async ({ body, actor }) => {
      const { account_id: accountId, name, rules } = body;
      const input = { accountId, name, ...(rules === undefined ? {} : { rules: rules as Json }) };
      const { key, text } = await service.create(input, actor);
      return { ...keyView(key), key: text };
    },
  });
  register({
    method: 'GET',
    path,
    operationId: 'listKeys',
    tag,
    summary: { fa: 'فهرست کلیدها', en: 'List keys, newest first' },
    query: closed({ account_id: Type.Optional(Type.String({ maxLength: 64 })), ...PAGE_QUERY }),
    result: pageOf(KeyShape),
    run: async ({ query }) => {
      const { items, next } = await service.list(query.account_id, query);
      return page(items.map(keyView), next);
    },
  });
  register({
    method: 'GET',
    path: `${path}/:id`,
    operationId: 'getKey',
    tag,
    summary: { fa: 'یک کلید', en: 'One key' },
    result: KeyShape,
    errors: ['not_found'],
    run: async ({ params }) => keyView(await service.get(params['id'] ?? '')),
  });
  register({
    method: 'GET',
    path: `${path}/:id/spend`,
    operationId: 'getKeySpend',
    tag,
    summary: { fa: 'مصرف کلید در هر دوره', en: 'What the key has spent and holds, per period' },
    result: KeySpend,
    errors: ['not_found'],
    run: async ({ params }) => {
      const key = await service.get(params['id'] ?? '');
      const { calendar } = await accounts.get(key.accountId);
      const spend = await spending.periods('key', key.id, key.rules.caps, calendar);
      return { object: 'spend', key_id: key.id, spend };
    },
  });
  register({
    method: 'PATCH',
    path: `${path}/:id`,
    operationId: 'changeKey',
    tag,
    summary: { fa: 'تغییر نام یا قواعد کلید', en: 'Change name or rules' },
    description: 'Only the fields given change. `null` lifts a limit. In force on every replica within a second.',
    body: KeyChange,
    result: KeyShape,
    errors: ['not_found', 'conflict'],
    example: { rules: { rpm: 30 } },
    run: async ({ params, body, actor }) =>
      keyView(await service.update(params['id'] ?? '', body as { name?: string; rules?: Json }, actor)),
  });
  keyActions(register, service);
}

function keyActions(register: RegisterOperatorRoute, service: KeyService): void {
  const act = (
    verb: string,
    summary: { fa: string; en: string },
    run: (id: string, actor: string) => Promise<ApiKey>,
  ): void =>
    register({
      method: 'POST',
      path: `${path}/:id/${verb}`,
      operationId: `${verb}Key`,
      tag,
      summary,
      result: KeyShape,
      errors: ['not_found', 'conflict'],
      run: async ({ params, actor }) => keyView(await run(params['id'] ?? '', actor)),
    });
  act('pause', { fa: 'توقف کلید', en: 'Pause a key' }, (id, actor) => service.pause(id, true, actor));
  act('resume', { fa: 'ازسرگیری کلید', en: 'Resume a paused key' }, (id, actor) => service.pause(id, false, actor));
  act('revoke', { fa: 'ابطال کلید', en: 'Revoke a key for good' }, (id, actor) => service.revoke(id, actor));
  register({
    method: 'POST',
    path: `${path}/:id/rotate`,
    operationId: 'rotateKey',
    tag,
    summary: { fa: 'متن تازه برای کلید', en: 'Give the key a new text; the old one stops working' },
    result: FreshKey,
    errors: ['not_found', 'conflict'],
    run: async ({ params, actor }) => {
      const { key, text } = await service.rotate(params['id'] ?? '', actor);
      return { ...keyView(key), key: text };
    },
  });
}

function keyView(key: ApiKey) {
  return {
    object: 'key',
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    rules: renderKeyRules(key.rules),
    managed_by: key.managedBy,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
