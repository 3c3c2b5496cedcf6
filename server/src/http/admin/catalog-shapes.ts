/** Providers, models, prices and groups as the operator gives and sees them: the fields of the YAML file. */
import Type, { type TSchema } from 'typebox';
import { CAPABILITIES, PRICE_FIELD_NAMES } from '../../catalog/index.ts';
import { AUTH_SCHEMES } from '../../vendors/index.ts';
import { AnyJson, closed, GivenToman, ManagedBy, nullable, shown, Time } from '../openapi/building-blocks.ts';

const Slug = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Letters, digits, dots, dashes, underscores.',
});
const ModelId = Type.String({ minLength: 3, maxLength: 200, description: '`<vendor>/<model>`.' });
const Words = Type.Array(Type.String({ maxLength: 128 }), { maxItems: 100 });
const FreeObject = Type.Record(Type.String(), AnyJson);

function priceFields<T extends TSchema>(amount: T) {
  const fields: Record<string, ReturnType<typeof Type.Optional<T>>> = {};
  for (const name of [...PRICE_FIELD_NAMES, 'request']) fields[name] = Type.Optional(amount);
  return fields;
}

export const GivenPrice = closed(priceFields(GivenToman), 'GivenPrice');
const ShownPrice = shown(priceFields(Type.String()), 'Price');

export const PriceVersion = shown(
  {
    version: Type.String(),
    model: Type.String(),
    price: ShownPrice,
    effective_at: Time,
    source: Type.String(),
    created_at: Time,
  },
  'PriceVersion',
);

const providerFields = {
  vendor: Type.Optional(Type.String({ maxLength: 64 })),
  protocol: Type.Optional(Type.Enum(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'])),
  base_url: Type.Optional(Type.String({ maxLength: 2048 })),
  auth: Type.Optional(Type.Enum([...AUTH_SCHEMES])),
  headers: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 4096 }))),
  quirks: Type.Optional(FreeObject),
  timeouts: Type.Optional(
    closed({
      connect_ms: Type.Optional(Type.Integer()),
      first_event_ms: Type.Optional(Type.Integer()),
      whole_answer_ms: Type.Optional(Type.Integer()),
      idle_ms: Type.Optional(Type.Integer()),
      total_ms: Type.Optional(Type.Integer()),
    }),
  ),
  max_concurrent: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100_000 }))),
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
  enabled: Type.Optional(Type.Boolean()),
};
const Secret = Type.String({ minLength: 1, maxLength: 4096, description: 'Kept encrypted; never shown again.' });

export const NewProvider = closed(
  {
    id: Slug,
    ...providerFields,
    api_key: Type.Optional(Secret),
    api_keys: Type.Optional(Type.Array(Secret, { maxItems: 100 })),
  },
  'NewProvider',
);
export const ProviderChange = closed(providerFields, 'ProviderChange');
export const NewCredential = closed({ secret: Secret }, 'NewCredential');
export const CredentialShape = shown({ id: Type.String(), managed_by: ManagedBy, created_at: Time }, 'Credential');
export const ProviderShape = shown(
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
    egress: nullable(Type.Array(Type.String(), { description: 'Without passwords.' })),
    ca_file: nullable(Type.String()),
    source_address: nullable(Type.String()),
    enabled: Type.Boolean(),
    present: Type.Boolean({ description: 'False when start-up no longer finds its key or server.' }),
    managed_by: ManagedBy,
    created_at: Time,
    credentials: Type.Array(CredentialShape, { description: 'Without their secrets.' }),
  },
  'Provider',
);

export const GivenRoute = closed(
  {
    provider: Slug,
    model: Type.String({ minLength: 1, maxLength: 256, description: "The provider's own name of the model." }),
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
    weight: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    quirks: Type.Optional(FreeObject),
    cost: Type.Optional(GivenPrice),
  },
  'GivenRoute',
);
const ShownRoute = shown(
  {
    provider: Type.String(),
    model: Type.String(),
    priority: Type.Integer(),
    weight: Type.Integer(),
    quirks: FreeObject,
    cost: nullable(FreeObject),
    managed_by: ManagedBy,
  },
  'Route',
);

const Tokens = Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 100_000_000 })));
const modelFacts = {
  kind: Type.Optional(Type.Enum(['chat', 'embedding', 'speech', 'transcription'])),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  name_fa: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
  context: Tokens,
  max_output: Tokens,
  capabilities: Type.Optional(Type.Array(Type.Enum([...CAPABILITIES]), { maxItems: 50 })),
  categories: Type.Optional(Words),
  hedge: Type.Optional(Type.Boolean()),
  enabled: Type.Optional(Type.Boolean()),
};
export const NewModel = closed(
  { id: ModelId, ...modelFacts, price: GivenPrice, routes: Type.Array(GivenRoute, { minItems: 1, maxItems: 100 }) },
  'NewModel',
);
export const ModelChange = closed(modelFacts, 'ModelChange');
export const ModelShape = shown(
  {
    id: Type.String(),
    kind: Type.String(),
    name: Type.String(),
    name_fa: nullable(Type.String()),
    context: nullable(Type.Integer()),
    max_output: nullable(Type.Integer()),
    capabilities: Type.Array(Type.String()),
    categories: Type.Array(Type.String()),
    hedge: Type.Boolean(),
    simulated: Type.Boolean(),
    enabled: Type.Boolean(),
    managed_by: ManagedBy,
    created_at: Time,
    price: nullable(PriceVersion),
    routes: Type.Array(ShownRoute),
  },
  'ManagedModel',
);

export const GivenGroup = closed(
  {
    name: Type.Optional(Type.String({ maxLength: 200 })),
    name_fa: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
    default: Type.Optional(ModelId),
    models: Type.Array(ModelId, { minItems: 1, maxItems: 1000 }),
  },
  'GivenGroup',
);
export const GroupShape = shown(
  {
    id: Type.String(),
    name: Type.String(),
    name_fa: nullable(Type.String()),
    default: Type.String(),
    models: Type.Array(Type.String()),
    managed_by: ManagedBy,
  },
  'Group',
);
