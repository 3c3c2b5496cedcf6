/** What a history acts upon: journal and books, as a model in memory or for real. */
import type { LoadPosted, PostedUpdate } from '../../src/admission/index.ts';
import type { Money } from '../../src/core/money.ts';
import type { ManualTransfer, WalletView } from '../../src/ledger/index.ts';
import type { RequestRecord, StartRecord } from '../../src/requestlog/index.ts';

/** `answer-lost`: the database did it, and nobody heard. */
export type Fate = 'done' | 'answer-lost' | 'unreachable';

export interface Posted {
  ids: string[];
  updates: PostedUpdate[];
}

export interface BookedRequest {
  cost: Money;
  state: string;
}

export interface Bank {
  /** Into the present turn: written when it ends, lost when the process is killed before. */
  open(startRecord: StartRecord): void;
  close(record: RequestRecord): void;
  endTurn(): Promise<void>;
  /** Posts the oldest records; undefined when no answer came. */
  post(fate: Fate): Promise<Posted | undefined>;
  transfer(entry: ManualTransfer): Promise<WalletView>;
  loadPosted: LoadPosted;
  /** Kills the process, cutting what its present turn was writing at some byte, and starts it again: all recovered records are
   * posted before anything else, as at a real start. */
  crash(cut: (bytes: number) => number): Promise<void>;
  booked(id: string): Promise<BookedRequest | undefined>;
  /** Throws when the books do not balance. */
  prove(): Promise<void>;
  end(): Promise<void>;
}
