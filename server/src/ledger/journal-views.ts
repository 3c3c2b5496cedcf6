/** The journal as the poster, the request log and health checks see it. */
import type { OpenedRecord } from './running-start-records.ts';
import type { WaitingBatch } from './waiting-batches.ts';

/** The journal as the poster and the request log see it. */
export interface JournalReader {
  /** The batch of the oldest closed records that are not posted; nothing is added to it any more. */
  oldest(): WaitingBatch | undefined;
  /** Called when the oldest batch is in the database. */
  posted(batch: WaitingBatch): void;
  /** True when a full batch waits, so that the poster continues at once. */
  behind(): boolean;
  /** Requests that have run longer than this and are not yet announced to other replicas. */
  longRunning(olderThanMs: number, limit: number): OpenedRecord[];
  /** The text of a request that is running or waits for the database. */
  lookup(id: string): string | undefined;
  /** Stores the line of a record that the database can never take where an operator finds it. */
  addDeadLetter(line: Buffer, reason: string): void;
  depth(): number;
}

export interface JournalHealth {
  writing: boolean;
  depth: number;
  bytes: number;
  running: number;
  segments: number;
  /** How many charges the database can never take, of this process and of earlier ones. */
  deadLetters: number;
}
