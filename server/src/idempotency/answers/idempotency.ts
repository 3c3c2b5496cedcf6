/**
 * Answers under their Idempotency-Key: whole ones, and streams that others may join while they run. This process's memory is
 * looked at first; behind it stand the claims that all replicas share. Bounded in entries, bytes and time.
 */
import { createHash } from 'node:crypto';
import type { Answer } from '../../core/answer.ts';
import type { Clock } from '../../core/clock.ts';
import type { Claimant } from '../claims/claim-rows.ts';
import type { SharedClaims } from '../claims/shared-claims.ts';
import {
  type RecordedAnswer,
  type RecordedMetadata,
  recordedBody,
  recordedElsewhere,
  recordedStream,
  replay,
  sharedFrom,
} from './recorded-answer.ts';
import { answerGone, otherBody, stillRunning, UNSHARED } from './refusals.ts';
import { ReplayBuffer } from './replay-buffer.ts';

export interface IdempotencyBounds {
  entries: number;
  /** Maximum size of one answer. Of a longer one only the fact is kept, so that its key does not run a second time. */
  bytesPerAnswer: number;
  totalBytes: number;
  keepMs: number;
}

export interface KeyedRequest {
  /** Account, endpoint and key. */
  name: string;
  accountId: string;
  /** Monotonic time until which the request may wait for another replica's answer. */
  deadlineAtMs: number;
}

/** The part of a call that is needed here. */
export interface IdempotentCall {
  /** The request's id. */
  id: string;
  body: Uint8Array;
  metadata: RecordedMetadata & { state?: string };
  /** Asked just before the charge. False means that the request must not be charged. */
  mayCharge?: () => Promise<boolean>;
}

interface Entry {
  claimant: Claimant;
  expiresAt: number;
  recording: Promise<RecordedAnswer>;
  /** True while it is being answered. Such an entry is never dropped: a retry would then run and be charged a second time. */
  running: boolean;
  bytes: number;
}

/** The answer of the request itself, and the recording that later requests are given. */
interface Obtained {
  answer: Answer;
  recording: RecordedAnswer;
}

export class Idempotency {
  /** By the claim's id. */
  readonly #entries = new Map<string, Entry>();
  readonly #bounds: IdempotencyBounds;
  readonly #clock: Clock;
  readonly #shared: SharedClaims;
  #bytes = 0;

  constructor(bounds: IdempotencyBounds, clock: Clock, shared: SharedClaims) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#shared = shared;
  }

  async once(request: KeyedRequest, call: IdempotentCall, answer: () => Promise<Answer>): Promise<Answer> {
    const now = this.#clock.now();
    this.#makeRoom(now);
    const claimant: Claimant = {
      id: digest(request.name),
      accountId: request.accountId,
      bodyDigest: digest(call.body),
      requestId: call.id,
      createdAt: now,
      expiresAt: now + this.#bounds.keepMs,
    };
    const known = this.#entries.get(claimant.id);
    if (!known) return this.#first(claimant, request.deadlineAtMs, call, answer);
    if (known.claimant.bodyDigest !== claimant.bodyDigest) throw otherBody();
    return replay(await known.recording, call);
  }

  async #first(
    claimant: Claimant,
    deadlineAtMs: number,
    call: IdempotentCall,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const obtained = Promise.resolve().then(() => this.#obtain(entry, deadlineAtMs, call, run));
    const recording = obtained.then((first) => first.recording);
    // The caller hears of the failure itself; without this handler Node would report an unhandled rejection.
    recording.catch(() => undefined);
    const entry: Entry = { claimant, expiresAt: claimant.expiresAt, running: true, bytes: 0, recording };
    this.#entries.set(claimant.id, entry);
    try {
      return (await obtained).answer;
    } catch (error) {
      // A refusal took nothing and charged nothing: the same key may try again.
      this.#forget(entry);
      throw error;
    }
  }

  async #obtain(
    entry: Entry,
    deadlineAtMs: number,
    call: IdempotentCall,
    run: () => Promise<Answer>,
  ): Promise<Obtained> {
    const { claimant } = entry;
    const claimed = await this.#shared.claim(claimant, deadlineAtMs);
    if (claimed.kind === 'other-body') throw otherBody();
    if (claimed.kind === 'answer-gone') throw answerGone(claimed.requestId);
    if (claimed.kind === 'running') throw stillRunning();
    if (claimed.kind === 'answered') {
      const recording = recordedElsewhere(claimed.answer, claimed.requestId);
      entry.expiresAt = Math.min(entry.expiresAt, claimed.expiresAt);
      this.#keep(entry, claimed.answer.body.byteLength);
      return { answer: replay(recording, call), recording };
    }
    call.mayCharge = () => this.#shared.charging(claimant);
    if (claimed.kind === 'unavailable') call.metadata.warnings.push(UNSHARED);
    try {
      return this.#record(entry, await run(), call);
    } catch (error) {
      // Released before the client hears of the failure, so that its retry does not meet this claim.
      await this.#shared.release(claimant);
      throw error;
    }
  }

  #record(entry: Entry, answer: Answer, { id: requestId, metadata }: IdempotentCall): Obtained {
    const { claimant } = entry;
    const { bytesPerAnswer } = this.#bounds;
    if (answer.kind === 'body') {
      const recording = recordedBody(answer, requestId, metadata);
      const bytes = Buffer.byteLength(answer.body);
      const fits = bytes <= bytesPerAnswer;
      if (fits) this.#keep(entry, bytes);
      else this.#keepFact(entry, requestId);
      this.#shared.finished(claimant, fits ? sharedFrom(answer, Buffer.from(answer.body), metadata) : undefined);
      return { answer, recording };
    }
    const replayBuffer = new ReplayBuffer(bytesPerAnswer, (complete) => {
      // A cut answer is not worth keeping: a retry under the same key should get a whole one.
      if (!complete || metadata.state !== 'completed') {
        this.#forget(entry);
        void this.#shared.release(claimant);
        return;
      }
      if (replayBuffer.tooLong) this.#keepFact(entry, requestId);
      else this.#keep(entry, replayBuffer.byteLength);
      this.#shared.finished(
        claimant,
        replayBuffer.tooLong ? undefined : sharedFrom(answer, replayBuffer.bytes(), metadata),
      );
    });
    const recording = recordedStream(answer, replayBuffer, requestId, metadata);
    return { answer: { ...answer, run: (sink) => answer.run(replayBuffer.recordWhileWriting(sink)) }, recording };
  }

  #keep(entry: Entry, bytes: number): void {
    if (this.#entries.get(entry.claimant.id) !== entry) return;
    entry.running = false;
    entry.bytes = bytes;
    this.#bytes += bytes;
    this.#makeRoom(this.#clock.now());
  }

  /** Keeps only the fact that it was answered. Requests that already wait for the recording still get it. */
  #keepFact(entry: Entry, requestId: string): void {
    entry.recording = Promise.resolve({
      requestId,
      metadata: { warnings: [] },
      again: () => {
        throw answerGone(requestId);
      },
    });
    this.#keep(entry, 0);
  }

  #forget(entry: Entry): void {
    // The id may belong to another request by now.
    if (this.#entries.get(entry.claimant.id) !== entry) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(entry.claimant.id);
  }

  /** Oldest first: a Map remembers the order of insertion. Running ones are bounded by the requests a process takes at once. */
  #makeRoom(now: number): void {
    for (const entry of this.#entries.values()) {
      const full = this.#bytes > this.#bounds.totalBytes || this.#entries.size > this.#bounds.entries;
      if (!full && entry.expiresAt > now) break;
      if (!entry.running) this.#forget(entry);
    }
  }
}

function digest(of: string | Uint8Array): string {
  return createHash('sha256').update(of).digest('base64url');
}
