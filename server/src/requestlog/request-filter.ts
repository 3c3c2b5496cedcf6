/** The filters by which requests are found and summed. */
import type { RequestState } from './record.ts';

export interface RequestFilter {
  accountId?: string;
  keyId?: string;
  model?: string;
  endpoint?: string;
  state?: RequestState;
  /** Milliseconds since 1970; `from` is included, `to` is not. */
  from?: number;
  to?: number;
  errorCode?: string;
  /** The end user, as the caller named it. */
  user?: string;
  /** One of its tags. */
  tag?: string;
  /** Micro-toman. */
  costOver?: bigint;
  slowerThanMs?: number;
}

export interface WideFilter extends RequestFilter {
  provider?: string | undefined;
  /** The beginning of an id. */
  idBegins?: string | undefined;
}

export interface UsageFilter {
  accountId: string;
  /** Milliseconds since 1970; `from` is included, `to` is not. */
  from: number;
  to: number;
  keyId?: string | undefined;
  /** The member who made the keys, as a breakdown by `member` names them. */
  member?: string | undefined;
  model?: string | undefined;
  endpoint?: string | undefined;
  user?: string | undefined;
  tag?: string | undefined;
}

export type UsageGrouping = 'model' | 'key' | 'member' | 'endpoint' | 'user' | 'tag' | 'state' | 'error';
