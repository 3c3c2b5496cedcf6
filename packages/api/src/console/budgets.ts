/** Budgets over several keys of the account, described. */
import { CAP_FIELDS } from '@dargah/core/fields/index.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { inputObject, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { inputFields, responseFields } from '../field-schema.ts';
import { SpendPeriod } from '../schemas/rule-schemas.ts';
import { Done, Name } from './console-schemas.ts';
import { READ_KEYS } from './keys.ts';

const tag = 'Keys of the account';
const path = '/api/console/budgets';
const WRITE = member('keys', 'write', 'owner', 'admin');
const DESCRIPTION =
  'Its keys spend from its caps together, beside their own and those of the account; the strictest refuses. It counts what a key spends from the moment the key belongs to it. A key can be in 3 of them.';

const KeyIds = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 200 });
const GivenCaps = inputObject(inputFields(CAP_FIELDS), 'GivenBudgetCaps');
const Budget = responseObject(
  {
    object: Type.Literal('budget'),
    id: Type.String(),
    name: Type.String(),
    key_ids: Type.Array(Type.String()),
    caps: responseObject(responseFields(CAP_FIELDS), 'BudgetCaps'),
    spend: Type.Array(SpendPeriod),
    created_at: Time,
    updated_at: Time,
  },
  'SharedBudget',
);

export const listBudgets = describeRoute({
  method: 'GET',
  path,
  operationId: 'listBudgets',
  tag,
  access: READ_KEYS,
  summary: { fa: 'بودجه‌های مشترک', en: 'Budgets over several keys, with what is spent' },
  description: DESCRIPTION,
  result: responseObject({ object: Type.Literal('list'), data: Type.Array(Budget) }, 'SharedBudgets'),
});

export const createBudget = describeRoute({
  method: 'POST',
  path,
  operationId: 'createBudget',
  tag,
  access: WRITE,
  summary: { fa: 'ساختن بودجهٔ مشترک', en: 'Declare a budget over several keys' },
  description: DESCRIPTION,
  body: inputObject({ name: Name, key_ids: KeyIds, caps: Type.Optional(GivenCaps) }, 'NewSharedBudget'),
  status: 201,
  result: Budget,
  errors: ['conflict'],
  example: { name: 'research', key_ids: [], caps: { monthly: 2_000_000 } },
});

export const changeBudget = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'changeBudget',
  tag,
  access: WRITE,
  summary: { fa: 'تغییر بودجهٔ مشترک', en: 'Change its name, its keys or its caps' },
  description: 'Only the fields given change. `null` lifts a cap.',
  body: inputObject(
    { name: Type.Optional(Name), key_ids: Type.Optional(KeyIds), caps: Type.Optional(GivenCaps) },
    'SharedBudgetChange',
  ),
  result: Budget,
  errors: ['not_found'],
  example: { caps: { monthly: 3_000_000 } },
});

export const removeBudget = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'removeBudget',
  tag,
  access: WRITE,
  summary: { fa: 'حذف بودجهٔ مشترک', en: 'Remove it; its keys keep their own caps' },
  result: Done,
  errors: ['not_found'],
});
