/**
 * THE LIMITS of a request, each declared once, in the order of checking (ADR 0002). The atomic reservation, refusals,
 * `GET /key` with its description, dry runs and the rule tester are made from this list.
 */

import type { ShownLimit } from '@dargah/core/fields/index.ts';
import type { Text } from '@dargah/core/text.ts';
import type { RateName } from '../../admission/index.ts';
import type { JsonObject } from '../../core/json.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { gatewayReasons } from '../reasons.ts';
import { type Estimate, tokensToReserve } from './estimate.ts';

/** A window: a limit that refills, so much in any 60 seconds. */
export interface RateLimit {
  kind: 'window';
  /** Its name in the rule tester and in dry runs. */
  ruleName: string;
  /** `error.limit` of its refusals. */
  told: string;
  /** Whether the key or the account has this rule. */
  owner: 'key' | 'account';
  /** Its name in `limits` of `GET /key`. */
  responseName: ShownLimit;
  /** The id of the counter that counts it. */
  counter(key: KeySnapshot): string;
  max(key: KeySnapshot): number | null;
  /** What a request takes from the limit: every request the same amount, or each by its estimate. */
  reserves: number | ((estimate: Estimate, max: number) => number);
  /** The text for a request that takes more than a whole minute allows: waiting would not help it. */
  neverFits?(amount: number, max: number): { reason: Text; detail: JsonObject };
}

/** Caps and wallet do not refill; limit-checks.ts has their amounts. */
interface BudgetLimit {
  kind: 'budget';
  ruleName: string;
}

export type Limit = RateLimit | BudgetLimit;

/** Each limit has the name of its check. */
export const LIMITS = {
  'key-requests': {
    kind: 'window',
    ruleName: 'requests_of_key',
    told: 'rpm',
    owner: 'key',
    responseName: 'requests',
    counter: ({ id }) => `rpm:key:${id}`,
    max: ({ rules }) => rules.rpm,
    reserves: 1,
  },
  'account-requests': {
    kind: 'window',
    ruleName: 'requests_of_account',
    told: 'account_rpm',
    owner: 'account',
    responseName: 'account_requests',
    counter: ({ account }) => `rpm:account:${account.id}`,
    max: ({ account }) => account.rules.rpm,
    reserves: 1,
  },
  cap: { kind: 'budget', ruleName: 'cap' },
  wallet: { kind: 'budget', ruleName: 'wallet' },
  'key-tokens': {
    kind: 'window',
    ruleName: 'tokens_of_key',
    told: 'tpm',
    owner: 'key',
    responseName: 'tokens',
    counter: ({ id }) => `tpm:key:${id}`,
    max: ({ rules }) => rules.tpm,
    reserves: tokensToReserve,
    neverFits: (tokens, max) => ({
      reason: gatewayReasons.moreTokensThanAMinute(tokens, max),
      detail: { requested_tokens: tokens },
    }),
  },
} satisfies Record<'cap' | 'wallet', BudgetLimit> & Record<RateName, RateLimit>;

/** The limits that refill. Each has the name of its check. */
export const RATE_LIMITS: ReadonlyMap<string, RateLimit> = new Map(
  Object.entries<Limit>(LIMITS).flatMap(([name, limit]) => (limit.kind === 'window' ? [[name, limit] as const] : [])),
);
