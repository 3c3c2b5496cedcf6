/** Feeding recorded or written streams through parser, guard and decoder, cut at any byte. */
import type { ChatResponse } from '../../src/core/chat.ts';
import type { ChatEvent } from '../../src/core/events.ts';
import type { UpstreamFailure } from '../../src/core/failure.ts';
import type { SseFrame, StreamDecoder } from '../../src/protocols/index.ts';
import { EventFold, openGuard, SseParser } from '../../src/protocols/index.ts';

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The bytes in pieces that end at the given positions; positions may repeat and stand in any order. */
export function cutAt(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const ends = [...positions].map((at) => at % (bytes.length + 1)).sort((a, b) => a - b);
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}

export function framesOf(pieces: readonly Uint8Array[]): SseFrame[] {
  const frames: SseFrame[] = [];
  const parser = new SseParser();
  for (const piece of pieces) parser.push(piece, (frame) => frames.push(frame));
  parser.end((frame) => frames.push(frame));
  return frames;
}

/** What a guarded decoder makes of a stream. */
export function decodeFrames(decoder: StreamDecoder, frames: readonly SseFrame[]): ChatEvent[] {
  const events: ChatEvent[] = [];
  const guarded = openGuard(decoder);
  for (const frame of frames) guarded.push(frame, (event) => events.push(event));
  guarded.end((event) => events.push(event));
  return events;
}

export function decodeText(decoder: StreamDecoder, text: string): ChatEvent[] {
  return decodeFrames(decoder, framesOf([bytesOf(text)]));
}

/** A stream that failed folds into its failure. */
export function foldEvents(events: Iterable<ChatEvent>): ChatResponse | UpstreamFailure {
  const fold = new EventFold();
  for (const event of events) fold.push(event);
  return fold.failure ?? fold.response();
}
