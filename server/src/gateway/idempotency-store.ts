/** Answers under their Idempotency-Key: whole ones, and streams that others may join while they run. Bounded in entries, bytes and time. */
import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import type { Answer, Call, Sink, Trail } from './call.ts';

export interface IdempotencyBounds {
  entries: number;
  /** One answer; a longer one is not kept, and its key then answers as new only after it ended. */
  bytesPerAnswer: number;
  totalBytes: number;
  keepMs: number;
}

interface Entry {
  bodyDigest: string;
  expiresAt: number;
  recording: Promise<Recording>;
  bytes: number;
}

export class Idempotency {
  readonly #entries = new Map<string, Entry>();
  readonly #bounds: IdempotencyBounds;
  readonly #clock: Clock;
  #bytes = 0;

  constructor(bounds: IdempotencyBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  async once(id: string, call: Call, answer: () => Promise<Answer>): Promise<Answer> {
    this.#expire();
    const bodyDigest = createHash('sha256').update(call.body).digest('base64');
    const known = this.#entries.get(id);
    if (known) {
      if (known.bodyDigest !== bodyDigest) {
        throw invalidRequest(
          'Idempotency-Key',
          reasons.custom('این کلید با بدنهٔ دیگری به کار رفته است.', 'This key was used with a different body.'),
        );
      }
      return replay(await known.recording, call);
    }
    return this.#first(id, bodyDigest, call, answer);
  }

  async #first(id: string, bodyDigest: string, call: Call, answer: () => Promise<Answer>): Promise<Answer> {
    const recording = answer().then((first) => this.#record(id, first, call.trail));
    const entry: Entry = { bodyDigest, expiresAt: this.#clock.now() + this.#bounds.keepMs, recording, bytes: 0 };
    this.#entries.set(id, entry);
    try {
      const recorded = await recording;
      return recorded.answer;
    } catch (error) {
      // A refusal took nothing and charged nothing: the same key may try again.
      this.#entries.delete(id);
      throw error;
    }
  }

  #record(id: string, answer: Answer, trail: Trail): Recording {
    if (answer.kind === 'body') {
      const recording: Recording = { answer, trail, tape: undefined };
      this.#account(id, answer.body.length);
      return recording;
    }
    const tape = new Tape(this.#bounds.bytesPerAnswer, (whole, bytes) => {
      // A cut answer is not worth keeping: a retry under the same key should get a whole one.
      if (whole && trail.state === 'completed') this.#account(id, bytes);
      else this.#forget(id);
    });
    return {
      trail,
      tape,
      answer: { ...answer, run: (sink) => answer.run(tape.recordWhileWriting(sink)) },
    };
  }

  #account(id: string, bytes: number): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.bytes = bytes;
    this.#bytes += bytes;
    if (bytes > this.#bounds.bytesPerAnswer) this.#forget(id);
    // Oldest first: a Map remembers the order of insertion.
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bounds.totalBytes && this.#entries.size <= this.#bounds.entries) break;
      this.#forget(oldest);
    }
  }

  #forget(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(id);
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const [id, entry] of this.#entries) {
      if (entry.expiresAt > now && this.#entries.size < this.#bounds.entries) break;
      this.#forget(id);
    }
  }
}

interface Recording {
  answer: Answer;
  trail: Trail;
  tape: Tape | undefined;
}

function replay(recording: Recording, call: Call): Answer {
  const { answer, trail, tape } = recording;
  Object.assign(call.trail, { model: trail.model, cost: trail.cost, warnings: trail.warnings });
  if (!tape || answer.kind === 'body') return { ...answer, headers: { 'x-svc-idempotent-replay': 'true' } } as Answer;
  return { kind: 'stream', contentType: answer.contentType, run: (sink) => tape.play(sink) };
}

/** Frames of a running stream, kept so that a second reader gets them from the start and then follows. */
class Tape {
  readonly #frames: (string | Uint8Array)[] = [];
  readonly #limit: number;
  readonly #onEnd: (kept: boolean, bytes: number) => void;
  #bytes = 0;
  #ended = false;
  #overflowed = false;
  #wake: (() => void)[] = [];

  constructor(limit: number, onEnd: (kept: boolean, bytes: number) => void) {
    this.#limit = limit;
    this.#onEnd = onEnd;
  }

  /** The first reader's sink. Its leaving does not stop the answer: on a bad line it will come back and join. */
  recordWhileWriting(sink: Sink): Sink {
    const tape = this;
    return {
      write(data) {
        tape.#add(data);
        return sink.gone ? undefined : sink.write(data);
      },
      end() {
        tape.#finish();
        sink.end();
      },
      cut() {
        tape.#overflow();
        sink.cut();
      },
      get gone() {
        return tape.#overflowed && sink.gone;
      },
    };
  }

  async play(sink: Sink): Promise<void> {
    for (let at = 0; !sink.gone; ) {
      const frame = this.#frames[at];
      if (frame !== undefined) {
        at++;
        await sink.write(frame);
      } else if (this.#ended || this.#overflowed) break;
      else await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    if (this.#overflowed) sink.cut();
    else sink.end();
  }

  #add(data: string | Uint8Array): void {
    if (this.#overflowed) return;
    this.#bytes += data.length;
    this.#frames.push(data);
    if (this.#bytes > this.#limit) this.#overflow();
    else this.#wakeAll();
  }

  #overflow(): void {
    if (this.#overflowed) return;
    this.#overflowed = true;
    this.#frames.length = 0;
    this.#onEnd(false, 0);
    this.#wakeAll();
  }

  #finish(): void {
    this.#ended = true;
    if (!this.#overflowed) this.#onEnd(true, this.#bytes);
    this.#wakeAll();
  }

  #wakeAll(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
