/** What a proof of the books says. */

export interface CheckResult {
  id: string;
  name: string;
  /** `nothing`: there was nothing to look at, which proves nothing. */
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

/** `proven` and `disagree` are what the last run that ended found; `unproven`: too long ago, or tries failed since. */
export type BooksVerdict = 'proven' | 'unproven' | 'disagree' | 'never';

export interface BooksState {
  verdict: BooksVerdict;
  /** The last run that ended, and the last day that was sealed then. */
  provedAt: Date | null;
  provedTo: string | null;
  runId: string | null;
  failing: { check: string; name: string; detail: string; run: string }[];
  /** Why the last try did not end. */
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
