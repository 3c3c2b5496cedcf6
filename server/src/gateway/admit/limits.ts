/**
 * THE LIMITS of a request, each declared once, in the order in which they are asked (ADR 0002). The atomic take, refusals,
 * `GET /key` with its description, dry runs and the rule tester are made from this list.
 */
import type { RateName } from '../../admission/index.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Text } from '../../core/text.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { gatewayReasons } from '../reasons.ts';
import { type Estimate, tokensToTake } from './estimate.ts';

/** A limit that refills: so much in any 60 seconds. */
export interface RateLimit {
  kind: 'rate';
  /** Its name in the rule tester and in dry runs. */
  verdict: string;
  /** `error.limit` of its refusals. */
  told: string;
  /** Its name in `limits` of `GET /key`. */
  shown: string;
  /** Where it is counted. */
  counter(key: KeySnapshot): string;
  most(key: KeySnapshot): number | null;
  /** What a request takes: every request the same, or each by its estimate. */
  takes: number | ((estimate: Estimate, most: number) => number);
  /** What is said of a request that takes more than a whole minute has: however long it waits, it is not let in. */
  neverFits?(amount: number, most: number): { reason: Text; detail: JsonObject };
}

/** Caps and wallet, which do not refill: demands.ts has their amounts. */
interface MoneyLimit {
  kind: 'money';
  verdict: string;
}

export type Limit = RateLimit | MoneyLimit;

/** By the names of their demands. */
export const LIMITS = {
  'key-requests': {
    kind: 'rate',
    verdict: 'requests_of_key',
    told: 'rpm',
    shown: 'requests',
    counter: ({ id }) => `rpm:key:${id}`,
    most: ({ rules }) => rules.rpm,
    takes: 1,
  },
  'account-requests': {
    kind: 'rate',
    verdict: 'requests_of_account',
    told: 'account_rpm',
    shown: 'account_requests',
    counter: ({ account }) => `rpm:account:${account.id}`,
    most: ({ account }) => account.rules.rpm,
    takes: 1,
  },
  cap: { kind: 'money', verdict: 'cap' },
  wallet: { kind: 'money', verdict: 'wallet' },
  'key-tokens': {
    kind: 'rate',
    verdict: 'tokens_of_key',
    told: 'tpm',
    shown: 'tokens',
    counter: ({ id }) => `tpm:key:${id}`,
    most: ({ rules }) => rules.tpm,
    takes: tokensToTake,
    neverFits: (tokens, most) => ({
      reason: gatewayReasons.moreTokensThanAMinute(tokens, most),
      detail: { requested_tokens: tokens },
    }),
  },
} satisfies Record<'cap' | 'wallet', MoneyLimit> & Record<RateName, RateLimit>;

/** Those that refill, by the names of their demands. */
export const RATE_LIMITS: ReadonlyMap<string, RateLimit> = new Map(
  Object.entries<Limit>(LIMITS).flatMap(([name, limit]) => (limit.kind === 'rate' ? [[name, limit] as const] : [])),
);
