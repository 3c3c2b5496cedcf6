/** The facts that are counted of a request that ended. */

export interface FinishedAttempt {
  readonly provider: string;
  readonly route: string;
  readonly credential: string;
  /** HTTP status of the provider, where it gave one. */
  readonly status: number | null;
  /** True when it was refused because the operator's balance there is used up. */
  readonly noBalance?: boolean;
  /** `ok`, `aborted`, `hedge-lost`, `skipped`, or the kind of failure. */
  readonly outcome: string;
  readonly firstEventMs: number | null;
}

export interface CountedRequest {
  readonly model: string;
  readonly state: string;
  readonly status: number;
  readonly errorCode: string | null;
  readonly accountId: string;
  readonly firstEventMs: number | null;
  readonly attempts: readonly FinishedAttempt[];
}
