/** Providers, models and groups as the operator gives and sees them: the fields of the YAML file. */

import { AUTH_SCHEMES, CAPABILITIES, CATALOG_STATES, PROTOCOL_IDS } from '@dargah/core/catalog-terms.ts';
import { MAX_RETENTION_DAYS } from '@dargah/core/data-policy.ts';
import { MODEL_FIELDS, PROVIDER_FIELDS, ROUTE_FIELDS, TIMEOUT_FIELDS } from '@dargah/core/fields/index.ts';
import Type from 'typebox';
import { AnyJson, inputObject, ManagedBySchema, nullable, responseObject, Time } from '../building-blocks.ts';
import { inputFields } from '../field-schema.ts';
import { DataPolicySchema } from '../schemas/data-policy-schemas.ts';
import { PriceInput, PriceVersion } from './price-schemas.ts';

const Slug = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Letters, digits, dots, dashes, underscores.',
});
const ModelId = Type.String({ minLength: 3, maxLength: 200, description: '`<vendor>/<model>`.' });
const Words = Type.Array(Type.String({ maxLength: 128 }), { maxItems: 100 });
const FreeObject = Type.Record(Type.String(), AnyJson);

const CloudWord = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });

const providerFields = {
  vendor: Type.Optional(Type.String({ maxLength: 64 })),
  protocol: Type.Optional(Type.Enum([...PROTOCOL_IDS])),
  base_url: Type.Optional(Type.String({ maxLength: 2048 })),
  resource: Type.Optional(CloudWord('Azure: the name of the resource, instead of `base_url`.')),
  project: Type.Optional(
    CloudWord('Google Vertex: the project, instead of `base_url`; without it that of the key file.'),
  ),
  region: Type.Optional(
    CloudWord('Amazon and Google: where the models run (`global` at Google by default), instead of `base_url`.'),
  ),
  auth: Type.Optional(
    Type.Enum([...AUTH_SCHEMES], { description: 'Without it: what the vendor and the form of its key imply.' }),
  ),
  headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 4096 }))),
  quirks: Type.Optional(FreeObject),
  timeouts: Type.Optional(inputObject(inputFields(TIMEOUT_FIELDS))),
  egress: Type.Optional(
    nullable(
      Type.Array(Type.String({ maxLength: 1024 }), {
        maxItems: 16,
        description:
          'Ways out in order: `direct`, `http://user:password@host:port`, `https://…`, `socks5://…`, `socks5h://…` (the proxy resolves names). Null: as the environment of the process says.',
      }),
    ),
  ),
  ca_file: Type.Optional(nullable(Type.String({ maxLength: 1024 }))),
  source_address: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
  data_policy: Type.Optional(
    nullable(
      inputObject(
        {
          training: Type.Optional(nullable(Type.Boolean())),
          retention_days: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: MAX_RETENTION_DAYS }))),
          region: Type.Optional(nullable(Type.String({ minLength: 2, maxLength: 2 }))),
        },
        'GivenDataPolicy',
      ),
    ),
  ),
  ...inputFields(PROVIDER_FIELDS),
};
const State = Type.Optional(
  Type.Enum([...CATALOG_STATES], {
    description:
      '`active`; `draining`: no new request, what runs ends; `off`; `retired`: hidden, only after draining or off. Stands above `enabled`.',
  }),
);
const ShownState = Type.String({ description: '`active`, `draining`, `off` or `retired`.' });
const Secret = Type.String({ minLength: 1, maxLength: 4096, description: 'Kept encrypted; never shown again.' });

export const NewProvider = inputObject(
  {
    id: Slug,
    ...providerFields,
    api_key: Type.Optional(Secret),
    api_keys: Type.Optional(Type.Array(Secret, { maxItems: 100 })),
  },
  'NewProvider',
);
export const ProviderChange = inputObject({ ...providerFields, state: State }, 'ProviderChange');
export const NewCredential = inputObject(
  {
    secret: Secret,
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'What people call it.' })),
  },
  'NewCredential',
);
export const CredentialSchema = responseObject(
  {
    id: Type.String(),
    label: nullable(Type.String()),
    last4: nullable(Type.String({ description: 'The last four characters; null where the secret is short.' })),
    managed_by: ManagedBySchema,
    created_at: Time,
  },
  'Credential',
);
export const ProviderSchema = responseObject(
  {
    id: Type.String(),
    vendor: Type.String(),
    protocol: Type.String(),
    base_url: Type.String(),
    auth: Type.String(),
    headers: FreeObject,
    quirks: FreeObject,
    timeouts: FreeObject,
    max_concurrent: nullable(Type.Integer()),
    transport: Type.String(),
    data_policy: DataPolicySchema,
    data_policy_source: Type.Enum(['vendor', 'operator'], {
      description: '`vendor`: what is shipped about its vendor; `operator`: said by the operator or the file.',
    }),
    egress: nullable(Type.Array(Type.String(), { description: 'Without passwords.' })),
    ca_file: nullable(Type.String()),
    source_address: nullable(Type.String()),
    enabled: Type.Boolean(),
    state: ShownState,
    present: Type.Boolean({ description: 'False when start-up no longer finds its key or server.' }),
    tested_at: nullable(Time),
    tested_ok: nullable(Type.Boolean({ description: 'Whether every step of the last trial passed.' })),
    last_used_at: nullable(Time),
    managed_by: ManagedBySchema,
    created_at: Time,
    credentials: Type.Array(CredentialSchema, { description: 'Without their secrets.' }),
  },
  'Provider',
);

export const RouteInput = inputObject(
  {
    provider: Slug,
    model: Type.String({ minLength: 1, maxLength: 256, description: "The provider's own name of the model." }),
    ...inputFields(ROUTE_FIELDS),
    quirks: Type.Optional(FreeObject),
    cost: Type.Optional(PriceInput),
  },
  'GivenRoute',
);
export const RouteChange = inputObject(
  {
    model: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "The provider's own name of the model." }),
    ),
    ...inputFields(ROUTE_FIELDS),
    quirks: Type.Optional(FreeObject),
    state: State,
  },
  'RouteChange',
);
export const CostStatement = responseObject(
  {
    id: Type.String(),
    kind: Type.String({ description: '`price`, `factor`, or `list`: by the factor and the list again.' }),
    currency: nullable(Type.String({ description: '`toman` or `usd`.' })),
    price: nullable(FreeObject),
    factor: nullable(Type.String()),
    effective_at: Time,
    created_at: Time,
  },
  'CostStatement',
);
export const UsesSchema = responseObject(
  {
    object: Type.Literal('uses'),
    models: Type.Array(Type.String(), { description: 'Models that would have no route left.' }),
    groups: Type.Array(Type.String()),
    keys: responseObject({
      count: Type.Integer(),
      first: Type.Array(responseObject({ id: Type.String(), name: Type.String() })),
    }),
    accounts: responseObject({
      count: Type.Integer(),
      first: Type.Array(responseObject({ id: Type.String(), name: Type.String() })),
    }),
    announced_prices: Type.Integer(),
    requests_7_days: Type.Integer({ description: 'Of a provider counted up to 10,000.' }),
  },
  'Uses',
);
const RouteResponse = responseObject(
  {
    provider: Type.String(),
    model: Type.String(),
    priority: Type.Integer(),
    weight: Type.Integer(),
    quirks: FreeObject,
    cost: nullable(FreeObject),
    cost_source: nullable(
      Type.String({
        description:
          '`file`, `own` (said for this route), `factor` (of the provider, on the list price), `list`; null: unknown, or written by an older version.',
      }),
    ),
    max_concurrent: nullable(Type.Integer()),
    requests_per_minute: nullable(Type.Integer()),
    tokens_per_minute: nullable(Type.Integer()),
    state: ShownState,
    last_used_at: nullable(Time),
    managed_by: ManagedBySchema,
  },
  'Route',
);

const modelFacts = {
  ...inputFields(MODEL_FIELDS),
  capabilities: Type.Optional(Type.Array(Type.Enum([...CAPABILITIES]), { maxItems: 50 })),
  categories: Type.Optional(Words),
};
export const NewModel = inputObject(
  { id: ModelId, ...modelFacts, price: PriceInput, routes: Type.Array(RouteInput, { minItems: 1, maxItems: 100 }) },
  'NewModel',
);
export const ModelChange = inputObject({ ...modelFacts, state: State }, 'ModelChange');
export const ModelSchema = responseObject(
  {
    id: Type.String(),
    kind: Type.String(),
    name: Type.String(),
    name_fa: nullable(Type.String()),
    context: nullable(Type.Integer()),
    max_output: nullable(Type.Integer()),
    hidden_tokens_per_second: nullable(Type.Integer()),
    capabilities: Type.Array(Type.String()),
    categories: Type.Array(Type.String()),
    hedge: Type.Boolean(),
    description_fa: nullable(
      Type.String({ description: 'In the words of the operator; null: what is shipped is shown.' }),
    ),
    description_en: nullable(
      Type.String({ description: 'In the words of the operator; null: what is shipped is shown.' }),
    ),
    shipped_description: nullable(responseObject({ fa: Type.String(), en: Type.String() }, 'BothLanguages')),
    simulated: Type.Boolean(),
    enabled: Type.Boolean(),
    state: ShownState,
    managed_by: ManagedBySchema,
    retires_at: nullable(Time),
    successor: nullable(Type.String()),
    created_at: Time,
    price: nullable(PriceVersion),
    routes: Type.Array(RouteResponse),
  },
  'ManagedModel',
);

const names = inputFields(MODEL_FIELDS);

export const GroupInput = inputObject(
  {
    name: names.name,
    name_fa: names.name_fa,
    default: Type.Optional(ModelId),
    models: Type.Array(ModelId, { minItems: 1, maxItems: 1000 }),
  },
  'GivenGroup',
);
export const GroupSchema = responseObject(
  {
    id: Type.String(),
    name: Type.String(),
    name_fa: nullable(Type.String()),
    default: Type.String(),
    models: Type.Array(Type.String()),
    managed_by: ManagedBySchema,
  },
  'Group',
);
