/** The short list of models that every picker of the console reads, described. */
import Type from 'typebox';
import { member } from '../access.ts';
import { nullable, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { DataPolicySchema } from '../schemas/data-policy-schemas.ts';

const BothLanguages = responseObject({ fa: Type.String(), en: Type.String() });

const OfferedModel = responseObject(
  {
    id: Type.String(),
    name: Type.String(),
    name_fa: nullable(Type.String()),
    vendor: Type.String(),
    kind: Type.String(),
    context: nullable(Type.Integer()),
    capabilities: Type.Array(Type.String()),
    input: nullable(Toman),
    output: nullable(Toman),
    per: Type.Enum(['million_tokens', 'thousand_characters', 'minute', 'search', 'image']),
    withdrawn_from: nullable(Time),
    data_policies: Type.Array(DataPolicySchema),
    simulated: Type.Boolean(),
    popular: Type.Boolean(),
  },
  'OfferedModel',
);

const OfferedGroup = responseObject(
  { id: Type.String(), name: Type.String(), name_fa: nullable(Type.String()), models: Type.Array(Type.String()) },
  'OfferedGroup',
);

export const listOfferedModels = describeRoute({
  method: 'GET',
  path: '/api/console/models',
  operationId: 'listOfferedModels',
  tag: 'Playground',
  access: member('playground', 'read', 'owner', 'admin', 'developer', 'viewer'),
  summary: {
    fa: 'مدل‌های حساب با قیمت، برای انتخاب',
    en: 'The models of the account with their prices, to choose from',
  },
  description: 'Only what the rules of the account permit, at the prices of the account. Groups hold only such models.',
  result: responseObject(
    {
      object: Type.Literal('list'),
      data: Type.Array(OfferedModel),
      groups: Type.Array(OfferedGroup),
      vendors: Type.Record(Type.String(), BothLanguages),
    },
    'OfferedModels',
  ),
});
