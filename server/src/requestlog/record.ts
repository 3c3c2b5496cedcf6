/** How a request ends, one attempt of it, and one passage it was given. All of a request's record is the table in record-columns.ts. */

export type { RequestState } from '@dargah/core/request-states.ts';

/**
 * A passage of a knowledge base that was put into the prompt, in the order of the numbers by which it is cited. It is
 * named and not quoted: its text is read from the base for as long as it exists there.
 */
export interface PassageRecord {
  baseId: string;
  documentId: string;
  /** The revision of the document when it was read; a replaced document has other passages at the same places. */
  revision: number;
  /** The document's name, shortened. */
  title: string;
  /** Its place in the document, from 1. */
  place: number;
  page: number | null;
  /** The heading, shortened. */
  heading: string | null;
  /** Tokens of its text alone, without the tags around it. */
  tokens: number;
  score: number;
}

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
  /**
   * What it cost us in toman where it was not sold: a lost hedge (the least it will be), or an answer that was not
   * charged. For the operator only.
   */
  providerCost?: string;
  /** True when it continued an answer that another provider had broken off; its cost is in `providerCost`. */
  continues?: true;
  /** The egress that was used, where it was not direct. For the operator only. */
  egress?: string;
  /**
   * True when it was refused because the operator's balance there is used up. Not stored; outages are detected by it.
   */
  noBalance?: boolean;
  /** The span of the attempt, where the request is traced. Not stored. */
  spanId?: string;
}
