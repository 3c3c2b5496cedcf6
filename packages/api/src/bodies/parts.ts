/**
 * Schemas that bodies of several endpoints share. They are permissive, because SDKs write null for what they leave out.
 */
import { AUTO_PREFERENCES } from '@dargah/core/auto-router.ts';
import { MAX_REGIONS, MAX_RETENTION_DAYS } from '@dargah/core/data-policy.ts';
import Type, { type TProperties, type TSchema } from 'typebox';

/** May be absent or null. */
export function maybe<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** An object whose fields beside the named ones are carried along. */
export function open<P extends TProperties>(properties: P, title?: string) {
  return Type.Object(properties, title === undefined ? {} : { title });
}

export function words<const T extends readonly string[]>(...allowed: T) {
  return Type.Enum([...allowed]);
}

export const AnyObject = Type.Record(Type.String(), Type.Unknown());
export const TokenCountSchema = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });

export const ModelName = Type.String({
  minLength: 1,
  maxLength: 512,
  description:
    '`<vendor>/<model>` or `group:<name>`, or `auto` where the service offers it; absent: the default model of the key.',
  examples: ['openai/gpt-4o-mini', 'group:economical'],
});

const names = (description?: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 32, ...(description && { description }) });
const Names = names();
const Tag = Type.String({ minLength: 1, maxLength: 64 });
const Price = Type.Number({ minimum: 0, maximum: 1e15 });

export const ServiceExtensionSchema = open(
  {
    knowledge_base_ids: maybe(names('Of chats only.')),
    dry_run: maybe(
      Type.Boolean({
        description:
          'Only tell what would happen: every rule, the price and the routes. Nothing is sent or charged. Of chats only.',
      }),
    ),
    resume_seconds: maybe(
      Type.Integer({
        minimum: 0,
        description:
          'The stream outlives its connection: its frames have numbers, and it can be continued while it runs and for so many seconds afterwards. 0 switches off what the rule of the key says. Of streamed chats only.',
      }),
    ),
    cache_seconds: maybe(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description:
          'An equal request of the account is given the same answer for so many seconds, at the price that the service sets; the header `x-svc-cache` says `hit`, `joined` or `miss`. 0 switches off what the rule of the key says. Never with tools. Of chats and embeddings only.',
      }),
    ),
    guarantee: maybe(
      Type.Boolean({
        description:
          'An answer with a strict schema, and arguments of tools, are checked before they go out: mended where that is certain (told in `svc.repair`), else asked once more of another route, else free. Streams then arrive at once. `false` switches off what the rule of the key says. Of chats only.',
      }),
    ),
    debug: maybe(
      Type.Enum(['upstream'], {
        description:
          'The answer tells in `svc.upstream` what its provider was sent, without secrets; in a stream at its end. Kept nowhere. For accounts that staff opened it for, of chats only.',
      }),
    ),
    tags: maybe(
      Type.Union([Type.Array(Tag, { maxItems: 5 }), Type.Record(Type.String(), Tag, { maxProperties: 5 })], {
        description:
          'What the request is counted for: up to 5 names, or an object whose fields become `name:value`. They are on the receipt, in the log, the usage and the exports. Of an account at most 200 different ones count a day, the rest as `other`.',
      }),
    ),
    routing: maybe(
      open({
        only: maybe(Names),
        ignore: maybe(Names),
        order: maybe(Names),
        sort: maybe(words('price', 'latency')),
        max_price: maybe(open({ input: maybe(Price), output: maybe(Price) })),
        models: maybe(Names),
        continue: maybe(
          Type.Boolean({
            description:
              'When the provider of a stream breaks off in the middle of plain text, another route of the model goes on from the text already sent, where it accepts a begun turn. Charged once. Instead of what the rule `continue_answers` of the key says; of chats only.',
          }),
        ),
        auto: maybe(
          Type.Object(
            { prefer: maybe(words(...AUTO_PREFERENCES)), models: maybe(Names) },
            {
              description:
                'Of the model `auto` only: what decides among the models that can do what is asked, `price` by default, and which of them are looked at.',
            },
          ),
        ),
        data: maybe(
          Type.Object(
            {
              no_training: maybe(Type.Boolean()),
              max_retention_days: maybe(Type.Integer({ minimum: 0, maximum: MAX_RETENTION_DAYS })),
              regions: maybe(Type.Array(Type.String({ minLength: 2, maxLength: 2 }), { maxItems: MAX_REGIONS })),
            },
            {
              description:
                'What whoever answers must state about data; routes that do not state it are not used, and where none is left the request is refused with `data_policy_unmet`.',
            },
          ),
        ),
      }),
    ),
  },
  'ServiceExtension',
);
