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
  /** A person of the account who alone may read it; every key of the account where it is missing. */
  personId?: string;
  /** By which keys are let in, or not. */
  model: string;
  contentType: string;
  headers: Record<string, string>;
  /** How long it is kept once it has ended. */
  keepMs: number;
  /** For readers; it is no frame of the answer. */
  keepAliveFrame: string;
  /** What a reader is told, in the words of its protocol, when the process that makes the answer is gone. */
  lost: string;
}

/** Whose a stream is, as one text. */
export function ownerOf(accountId: string, personId = ''): string {
  return `${accountId} ${personId}`;
}

/** Where the one who makes an answer writes it. */
export interface ReplayWriter {
  /** A promise when a slow reader must be waited for. */
  append(frames: readonly string[]): Promise<void> | undefined;
  finish(end: ReplayEnd): void;
  /** True once nobody can take the answer to its end any more: frames were dropped, and nobody reads. */
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

/** `dropped`: it was kept, and had to make room for others before its time. */
export type FoundReplay = KeptReplay | 'dropped' | undefined;

export interface Replays {
  /** `cancel` is called when somebody ends the answer, on whichever replica; without it nobody can. */
  open(head: ReplayHead, cancel: (() => void) | undefined): ReplayWriter;
  /** Another account's stream looks exactly like one that never was; so does another person's. */
  find(requestId: string, accountId: string, personId?: string): Promise<FoundReplay>;
  /** False where nothing is running under the id. */
  cancel(requestId: string, accountId: string, personId?: string): Promise<boolean>;
  /** Writes out what other replicas have not been told yet. */
  flush(): Promise<void>;
  close(): void;
}

export interface ReplayBounds {
  bytesPerRequest: number;
  bytesPerAccount: number;
  bytesTotal: number;
}
