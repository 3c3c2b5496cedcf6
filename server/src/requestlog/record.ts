/** How a request ends, one attempt of it, and one passage it was given. All of a request's record is the table in record-columns.ts. */

export type { RequestState } from '@dargah/core/request-states.ts';

/**
 * A passage of a knowledge base that was put into the prompt, in the order of the numbers it is cited by. It is named and not
 * quoted: its words are read from the base for as long as they are there.
 */
export interface PassageRecord {
  baseId: string;
  documentId: string;
  /** Of the document when it was read; a replaced document has other passages at the same places. */
  revision: number;
  /** The document's name, shortened. */
  title: string;
  /** Its place in the document, from 1. */
  place: number;
  page: number | null;
  /** Shortened. */
  heading: string | null;
  /** Of its text alone, without the tags around it. */
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
  /** What it cost us, in toman, where it was not sold: a lost hedge (the least it will be), an answer that was not charged. For the operator only. */
  providerCost?: string;
  /** It went on with an answer that another provider had broken off; what it cost is in `providerCost`. */
  continues?: true;
  /** The way out it went, where that was not direct. For the operator only. */
  egress?: string;
  /** It was refused because the operator's balance there is used up. Not stored: outages are told by it. */
  noBalance?: boolean;
  /** Its span, where the request is traced. Not stored. */
  spanId?: string;
}
