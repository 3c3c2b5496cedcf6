/** How a request ends, and one attempt of it. All of a request's record is the table in record-columns.ts. */

export type RequestState = 'running' | 'completed' | 'interrupted' | 'client_closed' | 'failed' | 'refused';

export interface AttemptRecord {
  provider: string;
  route: string;
  credential: string;
  /** `ok`, `aborted`, `hedge-lost`, `skipped`, or a FailureKind. */
  outcome: string;
  status: number | null;
  startedAt: number;
  firstEventMs: number | null;
  durationMs: number;
  /** Why it failed, for the operator only. */
  cause: string | null;
  /** A lost hedge: the least it will have cost us, in toman. For the operator only. */
  providerCost?: string;
  /** The way out it went, where that was not direct. For the operator only. */
  egress?: string;
  /** Its span, where the request is traced. Not stored. */
  spanId?: string;
}
