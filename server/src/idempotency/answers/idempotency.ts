/**
 * Answers under their Idempotency-Key: whole ones, and streams that others may join while they run. This process's memory is
 * looked at first; behind it stand the claims that all replicas share. Bounded in entries, bytes and time.
 */
import { createHash } from 'node:crypto';
import type { Answer, StreamAnswer } from '../../core/answer.ts';
import type { Clock } from '../../core/clock.ts';
import { ReplayBuffer, sinkOf } from '../../replay/index.ts';
import type { Claimant } from '../claims/claim-rows.ts';
import type { SharedAnswer } from '../claims/shared-answer.ts';
import type { SharedClaims } from '../claims/shared-claims.ts';
import {
  type RecordedAnswer,
  type RecordedMetadata,
  recordedBody,
  recordedElsewhere,
  recordedReplay,
  recordedStream,
  replay,
  sharedFrom,
} from './recorded-answer.ts';
import { answerGone, otherBody, stillRunning, UNSHARED } from './refusals.ts';

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
  /** How many frames of a numbered stream the caller has; 0: it wants all. */
  after?: number;
  /** A stream that another replica makes under this request id, where it can be followed. */
  join?(requestId: string): Promise<StreamAnswer | undefined>;
}

/** The part of a call that is needed here. */
export interface IdempotentCall {
  /** The request's id. */
  id: string;
  /** See Call. */
  address?: string;
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
      bodyDigest: bodyDigestOf(call),
      requestId: call.id,
      createdAt: now,
      expiresAt: now + this.#bounds.keepMs,
    };
    const known = this.#entries.get(claimant.id);
    if (!known) return this.#first(claimant, request, call, answer);
    if (known.claimant.bodyDigest !== claimant.bodyDigest) throw otherBody();
    return replay(await known.recording, call, request.after ?? 0);
  }

  async #first(
    claimant: Claimant,
    request: KeyedRequest,
    call: IdempotentCall,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const obtained = Promise.resolve().then(() => this.#obtain(entry, request, call, run));
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
    { deadlineAtMs, after = 0, join }: KeyedRequest,
    call: IdempotentCall,
    run: () => Promise<Answer>,
  ): Promise<Obtained> {
    const { claimant } = entry;
    const claimed = await this.#shared.claim(claimant, deadlineAtMs, join);
    if (claimed.kind === 'other-body') throw otherBody();
    if (claimed.kind === 'answer-gone') throw answerGone(claimed.requestId);
    if (claimed.kind === 'running') throw stillRunning();
    if (claimed.kind === 'answered') {
      const recording = recordedElsewhere(claimed.answer, claimed.requestId);
      entry.expiresAt = Math.min(entry.expiresAt, claimed.expiresAt);
      this.#keep(entry, claimed.answer.body.byteLength);
      return { answer: replay(recording, call, after), recording };
    }
    if (claimed.kind === 'joined') return this.#joined(entry, claimed.stream, claimed.requestId, call, after);
    const mayCharge = (): Promise<boolean> => this.#shared.charging(claimant);
    call.mayCharge = mayCharge;
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
    if (answer.replay) return this.#recordNumbered(entry, answer, answer.replay, requestId, metadata);
    const buffer: ReplayBuffer = new ReplayBuffer({
      maxBytes: bytesPerAnswer,
      onEnd: (end) => {
        const isWhole = buffer.dropped === 0;
        if (this.#endedWell(entry, end === 'complete', metadata.state))
          this.#finish(entry, requestId, isWhole ? sharedFrom(answer, buffer.bytes(), metadata) : undefined);
      },
    });
    const recording = recordedStream(answer, buffer, requestId, metadata);
    // The first reader has no special role. When it leaves, the answer goes on, so that a client on a bad line can come
    // back and join it.
    const run: StreamAnswer['run'] = async (sink) => {
      await Promise.all([buffer.play(sink), answer.run(sinkOf(buffer))]);
    };
    return { answer: { ...answer, run }, recording };
  }

  /** Its frames are in a replay buffer already; once it has ended it is kept for as long as its key. */
  #recordNumbered(
    entry: Entry,
    answer: StreamAnswer,
    frames: NonNullable<StreamAnswer['replay']>,
    requestId: string,
    metadata: IdempotentCall['metadata'],
  ): Obtained {
    frames.onEnd((whole) => {
      if (!this.#endedWell(entry, true, metadata.state)) return;
      const fits = whole !== undefined && whole.byteLength <= this.#bounds.bytesPerAnswer;
      const shared = fits ? sharedFrom(answer, whole, metadata) : undefined;
      if (shared) entry.recording = Promise.resolve(recordedElsewhere(shared, requestId));
      this.#finish(entry, requestId, shared);
    });
    return { answer, recording: recordedReplay(answer, frames, requestId, metadata) };
  }

  /** Followed while it runs; whoever comes later looks for it again. */
  #joined(entry: Entry, stream: StreamAnswer, requestId: string, call: IdempotentCall, after: number): Obtained {
    const { replay: frames } = stream;
    if (!frames) throw new Error('a stream that cannot be followed was joined');
    const recording = recordedReplay(stream, frames, requestId, { warnings: [] });
    this.#forget(entry);
    return { answer: replay(recording, call, after), recording };
  }

  /** A cut answer is not worth keeping: a retry under the same key should get a whole one. */
  #endedWell(entry: Entry, isComplete: boolean, state: string | undefined): boolean {
    if (isComplete && state === 'completed') return true;
    this.#forget(entry);
    void this.#shared.release(entry.claimant);
    return false;
  }

  #finish(entry: Entry, requestId: string, answer: SharedAnswer | undefined): void {
    if (answer) this.#keep(entry, answer.body.byteLength);
    else this.#keepFact(entry, requestId);
    this.#shared.finished(entry.claimant, answer);
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

/** Where the address names the model, the same body at another address is another request. */
function bodyDigestOf({ address, body }: IdempotentCall): string {
  if (address === undefined) return digest(body);
  return createHash('sha256').update(`${address}\n`).update(body).digest('base64url');
}

function digest(of: string | Uint8Array): string {
  return createHash('sha256').update(of).digest('base64url');
}
