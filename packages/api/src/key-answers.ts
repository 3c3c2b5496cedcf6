/** What a key can look up: models with their prices, the key itself, the credit of its account. */
import { KEY_CONDITION_FIELDS, SHOWN_LIMITS } from '@dargah/core/fields/index.ts';
import { PROBE_IDS } from '@dargah/core/probes.ts';
import Type from 'typebox';
import { nullable, responseObject, Time, Toman } from './building-blocks.ts';
import { alwaysShown } from './field-schema.ts';
import { DataPolicySchema } from './schemas/data-policy-schemas.ts';

const Pricing = responseObject({
  currency: Type.Literal('toman'),
  per: Type.Integer(),
  version: Type.String(),
  prompt: Type.String({ description: 'Toman for one input token, as the clients of OpenRouter read it.' }),
  completion: Type.String({ description: 'Toman for one output token, as the clients of OpenRouter read it.' }),
  tiers: Type.Optional(
    Type.Array(
      responseObject({ above: Type.Integer({ description: 'Prompts of more tokens cost these prices, as a whole.' }) }),
    ),
  ),
  service_tiers: Type.Optional(
    Type.Record(Type.String(), Type.Number(), {
      description: 'How many times their price tokens cost at a service tier.',
    }),
  ),
  image_grid: Type.Optional(
    Type.Array(
      responseObject({
        size: Type.Optional(Type.String()),
        quality: Type.Optional(Type.String()),
        price: Type.Number({ description: 'Toman per million pictures of this size and quality.' }),
      }),
    ),
  ),
});

export const PriceChangeList = responseObject(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      responseObject({
        object: Type.Literal('price'),
        model: Type.String(),
        from: Type.String({ description: 'When the price came, or will come, into force.' }),
        pricing: Pricing,
      }),
    ),
  },
  'PriceChangeList',
);

export const ModelObject = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer(),
    owned_by: Type.String(),
    type: Type.Literal('model'),
    display_name: Type.String(),
    display_name_fa: nullable(Type.String()),
    created_at: Time,
    kind: Type.String(),
    context_length: nullable(Type.Integer()),
    max_output_tokens: nullable(Type.Integer()),
    capabilities: Type.Array(Type.String()),
    categories: Type.Array(Type.String()),
    pricing: Pricing,
    price_change: nullable(
      responseObject({
        from: Type.String({ description: 'When the announced price comes into force.' }),
        pricing: Pricing,
      }),
    ),
    withdrawn_from: nullable(
      Type.String({ description: 'From when the model is no longer offered, if that is announced.' }),
    ),
    successor: nullable(Type.String({ description: 'The model to use instead, once this one is no longer offered.' })),
    simulated: Type.Boolean(),
    proved: Type.Array(
      responseObject({
        probe: Type.Enum([...PROBE_IDS]),
        passed: Type.Boolean({ description: 'Whether one of its routes at least does it.' }),
        at: { ...Time, description: 'When it was asked last.' },
      }),
      { description: 'What the routes of the model were asked to prove, and did or not.' },
    ),
    data_policies: Type.Array(DataPolicySchema, {
      description: 'What its routes do with what they are sent, each policy once; null is not stated.',
    }),
    name: Type.String(),
    canonical_slug: Type.String(),
    architecture: responseObject({
      modality: Type.String(),
      input_modalities: Type.Array(Type.String()),
      output_modalities: Type.Array(Type.String()),
      tokenizer: Type.String(),
      instruct_type: Type.Null(),
    }),
    top_provider: responseObject({
      context_length: nullable(Type.Integer()),
      max_completion_tokens: nullable(Type.Integer()),
      is_moderated: Type.Boolean(),
    }),
    supported_parameters: Type.Array(Type.String()),
    supported_voices: Type.Null(),
    per_request_limits: Type.Null(),
    default_parameters: Type.Null(),
    links: responseObject({ details: Type.String() }),
  },
  'Model',
);

export const ModelList = responseObject(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelObject),
    has_more: Type.Boolean(),
    first_id: nullable(Type.String()),
    last_id: nullable(Type.String()),
    total_count: Type.Integer(),
    links: responseObject({ next: Type.Null() }),
  },
  'ModelList',
);

const WindowState = responseObject({
  limit: nullable(Type.Integer()),
  remaining: nullable(Type.Integer()),
  reset_ms: Type.Number(),
});

const TomanNumber = Type.Number({ description: 'Toman.' });
const OpenrouterKey = responseObject(
  {
    label: Type.String(),
    limit: nullable(Type.Number({ description: "The key's cap of which least is left, in toman." })),
    limit_remaining: nullable(TomanNumber),
    limit_reset: nullable(Type.Enum(['daily', 'monthly'])),
    usage: TomanNumber,
    usage_daily: TomanNumber,
    usage_weekly: TomanNumber,
    usage_monthly: TomanNumber,
    expires_at: nullable(Time),
    is_free_tier: Type.Boolean(),
    is_management_key: Type.Boolean(),
    rate_limit: responseObject({
      requests: Type.Integer({ description: '-1: no limit.' }),
      interval: Type.String(),
      note: Type.String(),
    }),
  },
  'OpenrouterKey',
);

export const CallingKey = responseObject(
  {
    object: Type.Literal('key'),
    id: Type.String(),
    account_id: Type.String(),
    name: Type.String(),
    ...alwaysShown(KEY_CONDITION_FIELDS),
    limits: responseObject(Object.fromEntries(SHOWN_LIMITS.map((name) => [name, WindowState]))),
    caps: Type.Array(
      responseObject({
        scope: Type.Enum(['key', 'budget', 'account']),
        name: Type.Optional(Type.String({ description: 'Of a budget that several keys share.' })),
        period: Type.Enum(['daily', 'monthly', 'total']),
        limit: Toman,
        spent: Toman,
        held: Toman,
        remaining: Toman,
        resets_at: nullable(Time),
      }),
    ),
    wallet: responseObject({ balance: Toman, held: Toman, available: Toman }),
    data: OpenrouterKey,
  },
  'CallingKey',
);

export const Credits = responseObject(
  {
    data: responseObject({
      total_credits: Type.Number({ description: 'All that the account was ever credited, in toman.' }),
      total_usage: Type.Number({
        description: 'All that its requests were charged, in toman; the rest is the balance.',
      }),
    }),
  },
  'Credits',
);
