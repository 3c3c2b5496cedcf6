/**
 * How far a batch of a stream may go out: up to the piece that the hold no longer covers, and the part of that piece which it
 * does.
 */
import type { MeteredEvent, PartDelta } from '../../core/events.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { SseFrame } from '../../protocols/index.ts';
import type { OutputAllowance } from './output-allowance.ts';
import type { EventBatch } from './upstream-stream.ts';

/** The batch itself when all of it is paid for. At once unless a step must be waited for. */
export function paidPart(batch: EventBatch, allowance: OutputAllowance): EventBatch | Promise<EventBatch> {
  return paidFrom(0, batch, batch, allowance);
}

/** `batch`: the same as `all`, with some of its runs as single frames. */
function paidFrom(
  from: number,
  batch: EventBatch,
  all: EventBatch,
  allowance: OutputAllowance,
): EventBatch | Promise<EventBatch> {
  for (let at = from; at < batch.events.length; at++) {
    const event = batch.events[at] as MeteredEvent;
    if (event.type === 'part-delta' && event.pieces) {
      const covered = allowance.coveredOf(event.text, event.pieces);
      if (covered === event.pieces.length) continue;
      return paidFrom(at + covered, apart(batch, at, event), all, allowance);
    }
    const covered = allowance.covers(event);
    if (covered === true) continue;
    if (covered === false) return upTo(at, batch, allowance);
    return covered.then((paid) => (paid ? paidFrom(at + 1, batch, all, allowance) : upTo(at, batch, allowance)));
  }
  return all;
}

/** The batch as single frames and events, cut at the event whose index is `at`. */
function apart(batch: EventBatch, at: number, { part, pieces = [] }: PartDelta): EventBatch {
  const place = batch.ends.findIndex((end) => end > at);
  const run = batch.frames[place]?.run;
  const events = pieces.map((text): MeteredEvent => ({ type: 'part-delta', part, text }));
  return {
    frames: batch.frames.toSpliced(place, 1, ...pieces.flatMap((_, index) => run?.frame(index) ?? [])),
    events: batch.events.toSpliced(at, 1, ...events),
    ends: [
      ...batch.ends.slice(0, place),
      ...pieces.map((_, index) => at + index + 1),
      ...batch.ends.slice(place + 1).map((end) => end + pieces.length - 1),
    ],
  };
}

function upTo(at: number, batch: EventBatch, allowance: OutputAllowance): EventBatch {
  const event = batch.events[at];
  const frame = batch.ends.findIndex((end) => end > at);
  const part: EventBatch = {
    frames: frame < 0 ? batch.frames : batch.frames.slice(0, frame),
    events: batch.events.slice(0, at),
    ends: [],
  };
  const text = event?.type === 'part-delta' ? allowance.affordablePart(event.text) : '';
  return text === '' ? part : withPiece(part, event as PartDelta, text, batch.frames[frame]);
}

function withPiece(part: EventBatch, event: PartDelta, text: string, frame: SseFrame | undefined): EventBatch {
  const { citation: _citation, logprobs: _logprobs, ...rest } = event;
  const events = [...part.events, { ...rest, text }];
  const whole = frame?.json;
  if (!frame || whole === undefined) return { ...part, events };
  const json = replaced(whole, event.text, text);
  return { ...part, events, frames: [...part.frames, { event: frame.event, json, data: JSON.stringify(json) }] };
}

/** The same value with the shorter text wherever the longer one occurs. */
function replaced(value: Json, longer: string, shorter: string): Json {
  if (value === longer) return shorter;
  if (Array.isArray(value)) return value.map((item) => replaced(item, longer, shorter));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, item === undefined ? item : replaced(item, longer, shorter)]),
  );
}
