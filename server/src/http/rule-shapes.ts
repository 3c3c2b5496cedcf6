/** Rules of accounts and keys as they are given and shown; their meaning is checked by keys/rules-schema.ts. */
import Type, { type TSchema } from 'typebox';
import { ENDPOINTS } from '../core/endpoints.ts';
import { closed, GivenToman, nullable, shown, Time, Toman } from './openapi/building-blocks.ts';

const Texts = (description: string) =>
  Type.Optional(nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 1000, description })));
const Limit = (maximum: number, description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 0, maximum, description })));

function caps(amount: TSchema) {
  return {
    daily: Type.Optional(nullable(amount)),
    monthly: Type.Optional(nullable(amount)),
    total: Type.Optional(nullable(amount)),
  };
}

const shared = {
  models: Texts('Model ids or `group:<name>`. null: all.'),
  endpoints: Type.Optional(
    nullable(Type.Array(Type.Enum([...ENDPOINTS]), { maxItems: 100, description: 'null: all.' })),
  ),
  rpm: Limit(1_000_000, 'Requests in any 60 seconds. null: no limit; 0: none.'),
  paused: Type.Optional(Type.Boolean()),
};

const own = {
  default_model: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 256 }))),
  ips: Texts('Addresses or CIDR ranges the key may be used from.'),
  referrers: Texts('Hosts the key may be used from; `*.example.com` allowed.'),
  expires_at: Type.Optional(nullable(Type.String({ maxLength: 64, description: 'RFC 3339 with its zone.' }))),
  tpm: Limit(1_000_000_000, 'Tokens in any 60 seconds.'),
  knowledge_bases: Texts('Ids of the knowledge bases the key may use. null: all of its account.'),
};

const givenCaps = Type.Optional(nullable(closed(caps(GivenToman))));
const shownCaps = shown(caps(Toman));

export const GivenAccountRules = closed({ ...shared, caps: givenCaps }, 'GivenAccountRules');
export const ShownAccountRules = shown({ ...shared, caps: shownCaps }, 'AccountRules');
export const GivenKeyRules = closed({ ...shared, ...own, caps: givenCaps }, 'GivenKeyRules');
export const ShownKeyRules = shown({ ...shared, ...own, caps: shownCaps }, 'KeyRules');

const calendar = {
  time_zone: Type.Optional(Type.String({ maxLength: 64, examples: ['Asia/Tehran'] })),
  month: Type.Optional(Type.Enum(['jalali', 'gregorian'])),
};
export const GivenCalendar = closed(calendar, 'GivenCalendar');
export const ShownCalendar = shown(calendar, 'Calendar');

export const SpendPeriod = shown(
  {
    period: Type.Enum(['daily', 'monthly', 'total']),
    limit: nullable(Toman),
    spent: Toman,
    held: Toman,
    remaining: nullable(Toman),
    resets_at: nullable(Time),
  },
  'SpendPeriod',
);

export const Wallet = shown({ balance: Toman, held: Toman, available: Toman }, 'Wallet');
