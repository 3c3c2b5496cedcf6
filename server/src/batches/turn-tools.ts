/** The dependencies of a batch turn, and the possible outcomes of a line. */
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { StoredFiles } from './files.ts';
import type { Permits } from './permits.ts';

export interface AskedLine {
  batchId: string;
  keyId: string;
  endpoint: string;
  pricePercent: number;
  requestId: string;
  body: Buffer;
}

export type LineAnswer =
  | { kind: 'answered'; status: number; body: string; cost: bigint }
  /** A limit refused the line or the service is busy: nothing was sent, and the line waits. */
  | { kind: 'later'; afterMs: number }
  /**
   * Wallet or caps have no room for the line now. It gets this answer only when nothing else of the batch holds money.
   */
  | { kind: 'no-money'; status: number; body: string; record(): void };

/** What is known of a request that an earlier process began. */
export type BegunRequest = 'unknown' | 'charged' | 'free';

export interface TurnTools {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  files: StoredFiles;
  permits: Permits;
  log: Log;
  bounds(): { maxLines: number; maxLineBytes: number };
  room(accountId: string, bytes: number): Promise<() => void>;
  ask(line: AskedLine): Promise<LineAnswer>;
  begun(requestId: string): Promise<BegunRequest>;
}
