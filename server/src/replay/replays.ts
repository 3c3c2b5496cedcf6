/**
 * THE REPLAY BUFFERS of answers that can be continued: by `GET /requests/{id}/stream`, by the same request under its
 * Idempotency-Key, by `GET /responses/{id}?stream=true`. See ADR 0057.
 */
import type { Sink } from '../core/answer.ts';
import type { ReplayEnd } from './replay-buffer.ts';

/** What is known of a stream before its first frame. It goes to other replicas as JSON. */
export interface ReplayHead {
  requestId: string;
  accountId: string;
  /** The only person who may read it; absent: every key of the account may. */
  personId?: string;
  /** Decides which keys may read it. */
  model: string;
  contentType: string;
  headers: Record<string, string>;
  /** How long it is kept after its end. */
  keepMs: number;
  /** Headers for readers; they are no frame of the answer. */
  keepAliveFrame: string;
  /** The error that a reader gets, in its protocol, when the process that makes the answer is gone. */
  lost: string;
}

/** The owner of a stream, as one text. */
export function ownerOf(accountId: string, personId = ''): string {
  return `${accountId} ${personId}`;
}

/** Where the maker of an answer writes it. */
export interface ReplayWriter {
  /** A promise when a slow reader must be waited for. */
  append(frames: readonly string[]): Promise<void> | undefined;
  finish(end: ReplayEnd): void;
  /** True once no reader can get the whole answer any more: frames were dropped and nobody reads. */
  readonly isLost: boolean;
  /** All that was written; undefined where frames were dropped. */
  whole(): Uint8Array | undefined;
  play(sink: Sink, after: number): Promise<void>;
}

export interface KeptReplay {
  head: ReplayHead;
  /** How many frames were dropped at the front. */
  dropped: number;
  /** How many frames there have been; undefined where more may have been made than is known here. */
  length: number | undefined;
  /** Everything after the first `after` frames, until the answer ends or the reader leaves. */
  play(sink: Sink, after: number): Promise<void>;
}

/** `dropped`: it was kept, but had to be dropped early to make room. */
export type FoundReplay = KeptReplay | 'dropped' | undefined;

export interface Replays {
  /** `cancel` is called when somebody ends the answer, on any replica; without it the answer cannot be ended. */
  open(head: ReplayHead, cancel: (() => void) | undefined): ReplayWriter;
  /** Another account's or person's stream looks exactly like one that never existed. */
  find(requestId: string, accountId: string, personId?: string): Promise<FoundReplay>;
  /** Returns false where nothing runs under the id. */
  cancel(requestId: string, accountId: string, personId?: string): Promise<boolean>;
  /** Sends what other replicas have not received yet. */
  flush(): Promise<void>;
  close(): void;
}

export interface ReplayBounds {
  bytesPerRequest: number;
  bytesPerAccount: number;
  bytesTotal: number;
}
