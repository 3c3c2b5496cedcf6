/** What others see of the journal: the poster and the request log, and whoever asks for its health. */
import type { OpenedRecord } from './running-start-records.ts';
import type { WaitingBatch } from './waiting-batches.ts';

/** What the poster and the request log see of the journal. */
export interface JournalReader {
  /** The oldest closed records that are not posted; from now on nothing is added to this batch. */
  oldest(): WaitingBatch | undefined;
  /** The oldest batch is in the database. */
  posted(batch: WaitingBatch): void;
  /** True when a full batch waits, so the poster should go on at once. */
  behind(): boolean;
  /** Requests that have run longer than this and are not yet announced to other replicas. */
  longRunning(olderThanMs: number, limit: number): OpenedRecord[];
  /** The text of a request that is running or waits for the database. */
  lookup(id: string): string | undefined;
  /** Keeps the line of a record that the database can never take where an operator finds it. */
  addDeadLetter(line: Buffer, reason: string): void;
  depth(): number;
}

export interface JournalHealth {
  writing: boolean;
  depth: number;
  bytes: number;
  running: number;
  segments: number;
  /** Charges that the database can never take, of this process and of earlier ones. */
  deadLetters: number;
}
