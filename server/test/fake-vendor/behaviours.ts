/** The vocabulary of scripts: what a provider does with one request. Faults come from `faults.ts`, oddities from `quirks.ts`. */
import type { Json } from '../../src/core/json.ts';
import { type Answer, completeAnswer, type FullAnswer } from './answer.ts';
import { messagesFrames, messagesWhole } from './protocols/anthropic-messages.ts';
import { geminiFrames, geminiWhole } from './protocols/gemini-generate.ts';
import { embeddingsWhole, speech, transcription, wholeOfPath } from './protocols/media.ts';
import { chatFrames, chatWhole } from './protocols/openai-chat.ts';
import { responsesFrames, responsesWhole } from './protocols/openai-responses.ts';
import type { Behaviour, RecordedRequest, Wire } from './wire.ts';

/** How frames are put on the wire. */
export interface Delivery {
  /** One write per byte: the hardest split there is. */
  perByte?: boolean;
  /** Bytes per write. */
  chunkBytes?: number;
  crlf?: boolean;
  headers?: Record<string, string>;
}

/** A correct answer in the protocol of the request, streamed or whole as asked. */
export function answer(given: Answer | string = {}, delivery: Delivery = {}): Behaviour {
  const wanted = typeof given === 'string' ? { text: given } : given;
  return async (wire) => {
    const { request } = wire;
    if (request.dialect === 'speech') return speech(wire);
    if (request.dialect === 'transcription') return transcription(wire);
    if (request.dialect === 'embeddings') return sendJson(wire, 200, embeddingsWhole(request));
    const small = wholeOfPath(request);
    if (small) return sendJson(wire, 200, small);
    if (request.dialect === 'other')
      return sendJson(wire, 404, { error: { message: 'no such path', type: 'not_found' } });
    const full = completeAnswer(wanted, request);
    if (request.stream) return sendFrames(wire, framesOf(full, request), delivery);
    return sendJson(wire, 200, wholeOf(full, request), delivery.headers);
  };
}

/** Frames of the answer, changed by the test before they go out. */
export function answerFrames(
  given: Answer,
  change: (frames: string[], answer: FullAnswer, request: RecordedRequest) => string[],
  delivery: Delivery = {},
): Behaviour {
  return (wire) => {
    const full = completeAnswer(given, wire.request);
    return sendFrames(wire, change(framesOf(full, wire.request), full, wire.request), delivery);
  };
}

/** Exactly these bytes as an event stream. */
export function rawStream(text: string | string[], delivery: Delivery = {}): Behaviour {
  return (wire) => sendFrames(wire, typeof text === 'string' ? [text] : text, delivery);
}

export function json(status: number, body: Json | object, headers: Record<string, string> = {}): Behaviour {
  return (wire) => sendJson(wire, status, body, headers);
}

export function framesOf(full: FullAnswer, request: RecordedRequest): string[] {
  switch (request.dialect) {
    case 'anthropic-messages':
      return messagesFrames(full);
    case 'openai-responses':
      return responsesFrames(full);
    case 'gemini-generate':
      return geminiFrames(full);
    default: {
      const options = request.body['stream_options'];
      const asked = typeof options === 'object' && options !== null && !Array.isArray(options);
      return chatFrames(full, asked && options['include_usage'] === true);
    }
  }
}

export function wholeOf(full: FullAnswer, request: RecordedRequest): object {
  switch (request.dialect) {
    case 'anthropic-messages':
      return messagesWhole(full);
    case 'openai-responses':
      return responsesWhole(full);
    case 'gemini-generate':
      return geminiWhole(full);
    default:
      return chatWhole(full);
  }
}

function sendJson(wire: Wire, status: number, body: Json | object, headers: Record<string, string> = {}): void {
  wire.head(status, { 'content-type': 'application/json', 'x-request-id': `fake-${wire.request.index}`, ...headers });
  wire.end(JSON.stringify(body));
}

async function sendFrames(wire: Wire, frames: string[], delivery: Delivery = {}): Promise<void> {
  openEventStream(wire, delivery.headers);
  await writeFrames(wire, frames, delivery);
  wire.end();
}

export function openEventStream(wire: Wire, headers: Record<string, string> = {}): void {
  wire.head(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers });
}

export async function writeFrames(wire: Wire, frames: string[], delivery: Delivery = {}): Promise<void> {
  const step = delivery.perByte ? 1 : delivery.chunkBytes;
  for (const frame of frames) {
    const bytes = Buffer.from(delivery.crlf ? frame.replaceAll('\n', '\r\n') : frame);
    if (step === undefined) await wire.write(bytes);
    else for (let i = 0; i < bytes.length; i += step) await wire.write(bytes.subarray(i, i + step));
  }
}
