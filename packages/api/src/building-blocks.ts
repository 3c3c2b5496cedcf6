/**
 * The few shapes that schemas of our own endpoints are built from. A `title` makes a schema a named component of the
 * document.
 */
import Type, { type TProperties, type TSchema } from 'typebox';

/**
 * A request body of our own. Unknown fields are refused by name: a limit that is misspelt and dropped would silently
 * not exist.
 */
export function inputObject<P extends TProperties>(properties: P, title?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(title === undefined ? {} : { title }) });
}

/** An answer of ours; later versions may add fields. */
export function responseObject<P extends TProperties>(properties: P, title?: string) {
  return Type.Object(properties, title === undefined ? {} : { title });
}

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export function pageOf<T extends TSchema>(item: T) {
  return responseObject({
    object: Type.Literal('list'),
    data: Type.Array(item),
    next: nullable(Type.String({ description: 'Give it as `after` to get the next page; null on the last.' })),
  });
}

export interface Page<T> {
  object: 'list';
  data: T[];
  next: string | null;
}

export function page<T>(data: T[], next: string | null = null): Page<T> {
  return { object: 'list', data, next };
}

/** A page of a long list for staff: its rows, and what is said beside them. */
export function listOf<T extends TSchema>(item: T) {
  return responseObject({
    ...pageOf(item).properties,
    searched_back_to: nullable(
      Type.String({
        format: 'date-time',
        description:
          'Set when the filter has no index and the time was used up before the page was full, or when the archive of old requests did not answer: so far was looked. `next` goes on from there.',
      }),
    ),
    total: nullable(
      responseObject({
        count: Type.Integer({ description: 'At most a thousand.' }),
        more: Type.Boolean({ description: 'There are more than that.' }),
      }),
    ),
    names: Type.Record(Type.String(), Type.String(), {
      description: 'Names of the accounts and keys in the rows, by id.',
    }),
  });
}

export interface ListPage<T> extends Page<T> {
  searched_back_to: string | null;
  total: { count: number; more: boolean } | null;
  names: Record<string, string>;
}

export const PAGE_QUERY = {
  after: Type.Optional(Type.String({ maxLength: 512, description: 'The `next` of the page before.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
};

export const Toman = Type.String({
  title: 'Toman',
  description: 'Toman as exact decimal text, up to six decimals.',
  examples: ['1250.5'],
});
/** An amount in a request: text is exact, a number is convenient. */
export const TomanInput = Type.Union([Type.String({ maxLength: 40 }), Type.Number()], {
  title: 'GivenToman',
  description: 'Toman as a number or as exact decimal text, up to six decimals.',
});
export const Time = Type.String({ title: 'Time', format: 'date-time', description: 'RFC 3339 with its zone.' });
export const ManagedBySchema = Type.String({
  title: 'ManagedBy',
  description:
    'Who may change it: `operator` here; `config` only the configuration file; others were made by the gateway.',
});
export const AnyJson = Type.Unknown({ title: 'AnyJson' });

export const CancelledStream = responseObject(
  { id: Type.String(), object: Type.Literal('request.stream'), cancelled: Type.Boolean() },
  'CancelledStream',
);
export const Deleted = responseObject({ id: Type.String(), deleted: Type.Boolean() }, 'Deleted');
