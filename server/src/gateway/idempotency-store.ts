/** Answers under their Idempotency-Key: whole ones, and streams that others may join while they run. Bounded in entries, bytes and time. */
import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import type { Answer, BodyAnswer, Call, Sink, StreamAnswer, Trail } from './call.ts';

export interface IdempotencyBounds {
  entries: number;
  /** One answer; a longer one is not kept, and its key then answers as new only after it ended. */
  bytesPerAnswer: number;
  totalBytes: number;
  keepMs: number;
}

interface Entry {
  id: string;
  bodyDigest: string;
  expiresAt: number;
  recording: Promise<Recording>;
  /** Still being answered: forgetting it would let a retry run, and be charged, a second time. */
  running: boolean;
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
    this.#makeRoom(this.#clock.now());
    const bodyDigest = createHash('sha256').update(call.body).digest('base64');
    const known = this.#entries.get(id);
    if (!known) return this.#first(id, bodyDigest, call, answer);
    if (known.bodyDigest !== bodyDigest) {
      throw invalidRequest(
        'Idempotency-Key',
        reasons.custom('این کلید با بدنهٔ دیگری به کار رفته است.', 'This key was used with a different body.'),
      );
    }
    return replay(await known.recording, call);
  }

  async #first(id: string, bodyDigest: string, call: Call, answer: () => Promise<Answer>): Promise<Answer> {
    const expiresAt = this.#clock.now() + this.#bounds.keepMs;
    const live = Promise.resolve().then(answer);
    const entry: Entry = {
      id,
      bodyDigest,
      expiresAt,
      running: true,
      bytes: 0,
      recording: live.then((first) => this.#record(entry, first, call)),
    };
    this.#entries.set(id, entry);
    try {
      const { kept } = await entry.recording;
      const first = await live;
      return kept.kind === 'tape' && first.kind === 'stream' ? recordedOn(kept.tape, first) : first;
    } catch (error) {
      // A refusal took nothing and charged nothing: the same key may try again.
      this.#forget(entry);
      throw error;
    }
  }

  #record(entry: Entry, answer: Answer, { id: requestId, trail }: Call): Recording {
    if (answer.kind === 'body') {
      this.#keep(entry, answer.body.length);
      return { kept: answer, requestId, trail };
    }
    const tape = new Tape(this.#bounds.bytesPerAnswer, (whole, bytes) => {
      // A cut answer is not worth keeping: a retry under the same key should get a whole one.
      if (whole && trail.state === 'completed') this.#keep(entry, bytes);
      else this.#forget(entry);
    });
    return { kept: { kind: 'tape', contentType: answer.contentType, headers: answer.headers, tape }, requestId, trail };
  }

  #keep(entry: Entry, bytes: number): void {
    if (this.#entries.get(entry.id) !== entry) return;
    entry.running = false;
    entry.bytes = bytes;
    this.#bytes += bytes;
    if (bytes > this.#bounds.bytesPerAnswer) this.#forget(entry);
    this.#makeRoom(this.#clock.now());
  }

  #forget(entry: Entry): void {
    // The id may by now belong to another request.
    if (this.#entries.get(entry.id) !== entry) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(entry.id);
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

/** Lives for a day, so it must not hold on to the stream's `run`: that knows the whole request, up to its body. */
interface Recording {
  kept: BodyAnswer | { kind: 'tape'; contentType: string; headers: StreamAnswer['headers']; tape: Tape };
  /** Of the request that was charged. */
  requestId: string;
  trail: Trail;
}

function recordedOn(tape: Tape, answer: StreamAnswer): StreamAnswer {
  return { ...answer, run: (sink) => answer.run(tape.recordWhileWriting(sink)) };
}

function replay({ kept, requestId, trail }: Recording, call: Call): Answer {
  Object.assign(call.trail, { model: trail.model, cost: trail.cost, warnings: trail.warnings });
  // The receipt is the first request's.
  const headers = { ...kept.headers, 'x-svc-idempotent-replay': 'true', 'x-svc-original-request-id': requestId };
  if (kept.kind === 'body') return { ...kept, headers };
  const { tape, contentType } = kept;
  if (tape.tooLong) {
    const reason = reasons.custom(
      'پاسخ نخست هنوز در جریان است و بلندتر از آن است که به آن بپیوندید.',
      'The first answer is still being given and is too long to join.',
    );
    throw new GatewayError('conflict', { param: 'Idempotency-Key', reason });
  }
  return { kind: 'stream', contentType, headers, run: (sink) => tape.play(sink) };
}

/** Frames of a running stream, kept so that a second reader gets them from the start and then follows. */
class Tape {
  readonly #frames: (string | Uint8Array)[] = [];
  readonly #limit: number;
  readonly #onEnd: (whole: boolean, bytes: number) => void;
  #bytes = 0;
  #ended = false;
  #overflowed = false;
  #wake: (() => void)[] = [];

  constructor(limit: number, onEnd: (whole: boolean, bytes: number) => void) {
    this.#limit = limit;
    this.#onEnd = onEnd;
  }

  /** Nobody can join it any more. */
  get tooLong(): boolean {
    return this.#overflowed;
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
        tape.#finish();
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

  /** Too long to keep. It stays known until it ends, so that a retry cannot run beside it. */
  #overflow(): void {
    this.#overflowed = true;
    this.#frames.length = 0;
    this.#wakeAll();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(!this.#overflowed, this.#bytes);
    this.#wakeAll();
  }

  #wakeAll(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
