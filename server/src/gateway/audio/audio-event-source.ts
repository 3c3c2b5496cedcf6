/** The source of a streamed audio answer: a provider's events, its plain bytes, or a whole answer. */
import type { UpstreamFailure } from '../../core/failure.ts';
import type { UpstreamReply } from '../../platform/upstream/index.ts';
import { type AudioEvent, readAudioEvent, type SseFrame, SseParser } from '../../protocols/index.ts';
import { failureOfReading } from '../attempt/failures.ts';

/**
 * Null after the end. Errors arrive as a failure event, never as an exception; a stream without `…done` is an error.
 */
export interface AudioEventSource {
  next(): Promise<AudioEvent[] | null>;
  abort(reason: string): void;
}

export interface OpenedEvents {
  source: AudioEventSource;
  /** What was read to find out whether the route really answers. */
  first: AudioEvent[];
}

/** Reads until there is content, or an end without content (a transcript of silence is empty, speech never is). */
export async function openEvents(
  source: AudioEventSource,
  mayBeEmpty: boolean,
): Promise<OpenedEvents | { failure: UpstreamFailure }> {
  const first: AudioEvent[] = [];
  for (;;) {
    const events = await source.next();
    if (!events) return { failure: { kind: 'empty', message: 'the stream held nothing' } };
    first.push(...events);
    for (const event of events) {
      if (event.kind === 'failure') return { failure: event.failure };
      if (event.kind === 'content' || (event.kind === 'done' && mayBeEmpty)) return { source, first };
      if (event.kind === 'done') return { failure: { kind: 'empty', message: 'the stream held no audio' } };
    }
  }
}

export function eventsOfFrames(
  reply: UpstreamReply,
  readEvent: (frame: SseFrame) => AudioEvent | undefined = readAudioEvent,
  maxFrameChars?: number,
): AudioEventSource {
  const parser = new SseParser(maxFrameChars);
  let ended = false;
  const read = async (onFrame: (frame: SseFrame) => void, fail: (failure: UpstreamFailure) => void) => {
    try {
      const chunk = await reply.read();
      if (chunk) return parser.push(chunk, onFrame);
      parser.end(onFrame);
      fail({ kind: 'truncated', message: 'the stream ended without its last event' });
    } catch (error) {
      fail(failureOfReading(error));
    }
  };
  return {
    async next() {
      if (ended) return null;
      const events: AudioEvent[] = [];
      // Nothing counts after the last event: neither a broken connection nor further frames.
      const add = (event: AudioEvent | undefined) => {
        if (event === undefined || ended) return;
        events.push(event);
        ended = event.kind === 'done' || event.kind === 'failure';
      };
      await read(
        (frame) => add(readEvent(frame)),
        (failure) => add({ kind: 'failure', failure }),
      );
      if (ended) reply.release();
      return events;
    },
    abort(reason) {
      ended = true;
      reply.abort(reason);
    },
  };
}

/** For providers that do not know `stream_format` and send plain audio: each chunk becomes a delta. */
export function eventsOfBytes(reply: UpstreamReply, firstBytes: Uint8Array): AudioEventSource {
  let waiting: Uint8Array | undefined = firstBytes;
  let ended = false;
  return {
    async next() {
      if (ended) return null;
      try {
        const chunk = waiting ?? (await reply.read());
        waiting = undefined;
        if (chunk) {
          const audio = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64');
          return audio === '' ? [] : [{ kind: 'content', body: { type: 'speech.audio.delta', audio } }];
        }
        ended = true;
        return [{ kind: 'done', body: { type: 'speech.audio.done' } }];
      } catch (error) {
        ended = true;
        return [{ kind: 'failure', failure: failureOfReading(error) }];
      }
    },
    abort(reason) {
      ended = true;
      reply.abort(reason);
    },
  };
}

export function eventsAtOnce(events: AudioEvent[]): AudioEventSource {
  let left: AudioEvent[] | null = events;
  return {
    next() {
      const all = left;
      left = null;
      return Promise.resolve(all);
    },
    abort: () => undefined,
  };
}
