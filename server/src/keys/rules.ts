/** Rules of keys and accounts. `null` = no limit; `0` = none allowed. */
import type { Endpoint } from '../core/endpoints.ts';
import type { Money } from '../core/money.ts';

export { type CalledEndpoint, ENDPOINTS, type Endpoint } from '../core/endpoints.ts';

export const CAP_PERIODS = ['daily', 'monthly', 'total'] as const;
export type CapPeriod = (typeof CAP_PERIODS)[number];
export type Caps = Record<CapPeriod, Money | null>;

export interface SharedRules {
  /** Model ids or `group:<name>`. */
  models: string[] | null;
  endpoints: Endpoint[] | null;
  caps: Caps;
  rpm: number | null;
  /** A paused account pauses all its keys. */
  paused: boolean;
}

export type AccountRules = SharedRules;

export interface KeyRules extends SharedRules {
  defaultModel: string | null;
  /** Addresses or CIDR. */
  ips: string[] | null;
  /** Hosts; `*.example.com` allowed. */
  referrers: string[] | null;
  /** Milliseconds since 1970. */
  expiresAt: number | null;
  tpm: number | null;
  knowledgeBases: string[] | null;
}

export interface Calendar {
  /** IANA name. */
  timeZone: string;
  month: 'jalali' | 'gregorian';
}

/** Whether prompts and answers are kept, and for how many days. */
export interface PromptLogging {
  enabled: boolean;
  days: number;
}

export interface AccountSnapshot {
  id: string;
  name: string;
  rules: AccountRules;
  calendar: Calendar;
  /** Its own margin on list prices, decimal text; absent or null: as everybody. */
  margin?: string | null;
}

/** Everything the request path must know about a caller; immutable, replaced when the key or account changes. */
export interface KeySnapshot {
  id: string;
  name: string;
  rules: KeyRules;
  account: AccountSnapshot;
  /** Days that texts are kept; absent: they are not. */
  keepTextsDays?: number;
}
