/** Rules of keys and accounts, as they are declared in packages/core/src/fields/key-rules.ts. `null` = no limit; `0` = none allowed. */
import {
  type ACCOUNT_RULE_FIELDS,
  type CALENDAR_FIELDS,
  CAP_FIELDS,
  type KEY_RULE_FIELDS,
  type OWN_CAP_FIELDS,
} from '@dargah/core/fields/index.ts';
import type { ValuesOf } from './field-types.ts';

export { type CalledEndpoint, ENDPOINTS, type Endpoint } from '@dargah/core/endpoints.ts';

export type CapPeriod = keyof typeof CAP_FIELDS;
export const CAP_PERIODS = Object.keys(CAP_FIELDS) as CapPeriod[];

/** A paused account pauses all its keys. */
export type AccountRules = ValuesOf<typeof ACCOUNT_RULE_FIELDS>;
export type KeyRules = ValuesOf<typeof KEY_RULE_FIELDS>;
/** Caps that the people of an account set for all of it. */
export type OwnCaps = ValuesOf<typeof OWN_CAP_FIELDS>;
export type Calendar = ValuesOf<typeof CALENDAR_FIELDS>;

/** Whether prompts and answers are kept, and for how many days. */
export interface PromptLogging {
  enabled: boolean;
  days: number;
}

/** Access that staff closed: nothing of the account is answered while it lasts. */
export interface AccountBlock {
  /** The reason that the customer reads. */
  reason: string;
  at: Date;
  /** Null when it lasts until staff open the account again. */
  until: Date | null;
}

/** A budget that several keys of an account spend from together. */
export interface BudgetOfKeys {
  id: string;
  name: string;
  caps: AccountRules['caps'];
}

export interface AccountSnapshot {
  id: string;
  name: string;
  rules: AccountRules;
  calendar: Calendar;
  /** Absent or null: its people set none. */
  ownCaps?: OwnCaps | null;
  /** Its own margin on list prices, decimal text; absent or null: as everybody. */
  margin?: string | null;
  /** A block that has run out stays here until the account is read again. */
  blocked?: AccountBlock | null;
  /** Its own keys at providers; absent, as nearly always: it has none. */
  ownKeys?: readonly OwnProviderKey[];
}

export interface OwnProviderKey {
  id: string;
  /** The operator's provider whose vendor gave the key. */
  provider: string;
  /** In clear text only here, in memory; it is never logged. */
  secret: string;
  /** The operator's routes may answer, at their price, when the key does not. */
  fallback: boolean;
}

/** Everything the request path must know about a caller; immutable, replaced when the key or account changes. */
export interface KeySnapshot {
  id: string;
  name: string;
  rules: KeyRules;
  account: AccountSnapshot;
  /** Absent: it spends from no budget with others. */
  budgets?: readonly BudgetOfKeys[];
  /** Days that texts are kept; absent: they are not. */
  keepTextsDays?: number;
  /** The percentage of the usual prices that lines of a batch pay; absent for the full price. */
  pricePercent?: number;
}
