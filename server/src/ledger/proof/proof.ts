/** The results of a proof of the books. */

export interface CheckResult {
  id: string;
  name: string;
  /** `nothing`: there was nothing to check, which proves nothing. */
  result: 'ok' | 'failed' | 'nothing';
  detail: string;
}

export type ProofKind = 'light' | 'night' | 'whole';

export interface ProofRun {
  id: string;
  kind: ProofKind;
  askedBy: string;
  /** Only a run that ended says anything about the books. */
  state: 'running' | 'ended' | 'failed';
  startedAt: Date;
  endedAt: Date | null;
  rowsRead: bigint;
  /** 0: not known yet. */
  rowsExpected: bigint;
  slices: bigint;
  ok: boolean | null;
  checks: CheckResult[];
  /** Why it stopped before its end. */
  reason: string | null;
}

/**
 * `proven` and `disagree` are results of the last run that ended; `unproven`: it ended too long ago, or later runs
 * failed.
 */
export type BooksVerdict = 'proven' | 'unproven' | 'disagree' | 'never';

export interface BooksState {
  verdict: BooksVerdict;
  /** When the last run ended, and the last day that was sealed then. */
  provedAt: Date | null;
  provedTo: string | null;
  runId: string | null;
  failing: { check: string; name: string; detail: string; run: string }[];
  /** Why the last run did not finish. */
  reason: string | null;
}

export interface SealedDay {
  day: string;
  transfers: bigint;
  late: bigint;
  requests: bigint;
  charged: string;
  digest: string;
  sealedAt: Date;
  readAt: Date | null;
  broken: boolean;
}
