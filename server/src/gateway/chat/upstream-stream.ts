/**
 * A provider's stream as batches: every read gives the frames (for a relay) and the guarded canonical events (for the
 * meter and for encoders) of the same bytes. A new one per attempt, so that nothing leaks into the next route.
 */
import type { ChatEvent, MeteredEvent } from '../../core/events.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { UpstreamReply } from '../../platform/upstream/index.ts';
import {
  type FramePiece,
  type RunOfFrames,
  type SseFrame,
  SseParser,
  type StreamDecoder,
  type UnreadListener,
} from '../../protocols/index.ts';
import { failureOfReading } from '../attempt/failures.ts';
import { ShapeLearner } from './shape-learner.ts';

/** Some providers keep the connection open after the last frame; their clients must not wait for an idle time-out. */
const REST_MS = 500;

export interface EventBatch {
  frames: SseFrame[];
  events: MeteredEvent[];
  /** For each frame the number of events up to and with it. */
  ends: number[];
}

/** An answer on its way, as its delivery reads it. */
export interface AnswerStream {
  /** Nothing more will come. */
  readonly ended: boolean;
  /** Null after the end. */
  next(): Promise<EventBatch | null>;
  abort(reason: string): void;
}

/** The source of the bytes: a reply, or what was read of one before it was known to be a stream. */
export type ByteSource = Pick<UpstreamReply, 'read' | 'abort' | 'over'>;

const NOTHING_MORE: Promise<null> = Promise.resolve(null);

export class UpstreamStream implements AnswerStream {
  readonly #reply: ByteSource;
  readonly #decoder: StreamDecoder;
  readonly #unread: UnreadListener | undefined;
  readonly #parser = new SseParser();
  /** Set only for protocols whose frames are alike. */
  readonly #learner: ShapeLearner | undefined;
  #batch: EventBatch = { frames: [], events: [], ends: [] };
  #ended = false;
  #finished = false;
  // Made once: a stream is read hundreds of times.
  readonly #emit = (event: ChatEvent): void => {
    this.#batch.events.push(event);
    if (event.type === 'response-end') this.#finished = true;
    else if (event.type === 'failure') this.#failed = true;
  };
  readonly #onFrame = (frame: SseFrame): void => {
    if (frame.run) {
      this.#repeatAll(frame.run);
      return;
    }
    if (frame.piece) {
      this.#repeat(frame, frame.piece);
      return;
    }
    this.#parser.shape = undefined;
    const before = this.#batch.events.length;
    this.#decoder.push(frame, this.#emit);
    // A frame that carries the failure is the provider's own wording: a relay must never see it.
    if (this.#failed) return;
    if (this.#unread) this.#hearUnread(this.#unread, frame, before);
    this.#parser.shape = this.#learner?.learn(frame, this.#batch.events, before, this.#parser);
    this.#batch.frames.push(frame);
    this.#batch.ends.push(this.#batch.events.length);
  };
  #failed = false;
  readonly #onChunk = (chunk: Uint8Array | null): EventBatch => {
    try {
      this.#read(chunk);
    } catch (error) {
      this.#onBroken(error);
    }
    return this.#batch;
  };
  readonly #onBroken = (error: unknown): EventBatch => {
    this.#ended = true;
    this.#batch.events.push({ type: 'failure', failure: failureOfReading(error) });
    return this.#batch;
  };

  /** `unread`: where frames, or what is kept of their unknown fields, go to a client of the same protocol. */
  constructor(reply: ByteSource, guardedDecoder: StreamDecoder, unread: UnreadListener | undefined) {
    this.#reply = reply;
    this.#decoder = guardedDecoder;
    this.#unread = unread;
    if (guardedDecoder.repeat) this.#learner = new ShapeLearner();
  }

  #read(chunk: Uint8Array | null): void {
    if (chunk) this.#parser.push(chunk, this.#onFrame);
    if (chunk && !this.#reply.over) return;
    this.#ended = true;
    this.#parser.end(this.#onFrame);
    this.#decoder.end(this.#emit);
  }

  /** A frame like the one before, but for its words. */
  #repeat(frame: SseFrame, { shape, text }: FramePiece): void {
    const { frames, events, ends } = this.#batch;
    this.#decoder.repeat?.(text);
    events.push({ type: 'part-delta', part: shape.part, text });
    frames.push(frame);
    ends.push(events.length);
  }

  /** Many of them. */
  #repeatAll(run: RunOfFrames): void {
    const { frames, events, ends } = this.#batch;
    const { shape, text, words } = run;
    this.#decoder.repeat?.(text);
    events.push({ type: 'part-delta', part: shape.part, text, pieces: words });
    frames.push(run);
    ends.push(events.length);
  }

  #hearUnread(unread: UnreadListener, frame: SseFrame, from: number): void {
    const { events } = this.#batch;
    let read = 0;
    for (let at = from; at < events.length; at++) {
      const event = events[at];
      if (event?.type === 'part-delta') read += event.text.length + (event.transcript?.length ?? 0);
    }
    const text = unread.inFrame(frame, read);
    if (text !== '') events.push({ type: 'unread-text', text });
  }

  /** Nothing more will come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Null after the end. A broken connection arrives as a failure event, never as an exception. */
  next(): Promise<EventBatch | null> {
    if (this.#ended) return NOTHING_MORE;
    this.#batch = { frames: [], events: [], ends: [] };
    return (this.#finished ? this.#readRest() : this.#reply.read()).then(this.#onChunk, this.#onBroken);
  }

  /** The answer is whole; what may follow (usage, the terminal marker) follows at once, or nobody waits for it. */
  async #readRest(): Promise<Uint8Array | null> {
    const timeout = setTimeout(() => this.#reply.abort('open after its end'), REST_MS);
    try {
      return await this.#reply.read();
    } finally {
      clearTimeout(timeout);
    }
  }

  /** Reads until something a client could see has come, or the failure that came instead. */
  async untilFirstEvent(): Promise<{ batch: EventBatch; failure: UpstreamFailure | undefined }> {
    const batch: EventBatch = { frames: [], events: [], ends: [] };
    for (;;) {
      const next = await this.next();
      if (!next) return { batch, failure: { kind: 'empty', message: 'the stream held nothing' } };
      for (const end of next.ends) batch.ends.push(batch.events.length + end);
      batch.frames.push(...next.frames);
      batch.events.push(...next.events);
      for (const event of next.events) {
        if (event.type === 'failure') return { batch, failure: event.failure };
        if (isReal(event)) return { batch, failure: undefined };
      }
    }
  }

  abort(reason: string): void {
    this.#ended = true;
    this.#reply.abort(reason);
  }
}

/** Start, role and usage events are not yet an answer; content, a tool call or a finish is. */
function isReal(event: MeteredEvent): boolean {
  if (event.type === 'part-delta') return event.text.length > 0;
  if (event.type === 'part-start') return event.toolCall !== undefined || event.image !== undefined;
  return event.type === 'response-end';
}
