/**
 * Folds events into a whole answer. A whole answer is a folded stream, so metering, replays and non-streaming views
 * need only one path. The reverse is unfold.ts; for every answer r a provider can give, fold(unfold(r)) equals r.
 */
import type { ChatResponse, Choice, Extras, Part, ProtocolId } from '../core/chat.ts';
import type { ChatEvent, PartDelta, PartEnd, PartStart } from '../core/events.ts';
import type { UpstreamFailure } from '../core/failure.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { mergeUsage } from '../core/usage.ts';

/** The format of streamed chat audio, which the wire never names. */
const STREAMED_AUDIO_FORMAT = 'pcm16';

/** Takes the events of one guarded stream; `response()` may be called at any time, also for a stream that was cut. */
export class EventFold {
  readonly #response: ChatResponse = { choices: [] };
  readonly #parts = new Map<number, { part: Part; choice: Choice }>();
  #failure: UpstreamFailure | undefined;
  #complete = false;

  push(event: ChatEvent): void {
    switch (event.type) {
      case 'response-start':
        if (event.id !== undefined) this.#response.id = event.id;
        if (event.model !== undefined) this.#response.model = event.model;
        if (event.created !== undefined) this.#response.created = event.created;
        this.#addExtras(event.extras);
        break;
      case 'part-start': {
        const choice = this.#choice(event.choice);
        const part = startedPart(event);
        choice.parts.push(part);
        this.#parts.set(event.part, { part, choice });
        break;
      }
      case 'part-delta': {
        const open = this.#parts.get(event.part);
        if (open) addDelta(open.part, open.choice, event);
        break;
      }
      case 'part-end': {
        const open = this.#parts.get(event.part);
        if (open) addEnd(open.part, event);
        break;
      }
      case 'usage-update':
        this.#response.usage = mergeUsage(this.#response.usage, event.usage);
        break;
      case 'response-end':
        this.#complete = true;
        for (const [index, finish] of event.finishes.entries()) this.#choice(index).finish = finish;
        if (event.serviceTier !== undefined) this.#response.serviceTier = event.serviceTier;
        this.#addExtras(event.extras);
        break;
      case 'failure':
        this.#failure = event.failure;
        break;
    }
  }

  response(): ChatResponse {
    return this.#response;
  }

  get failure(): UpstreamFailure | undefined {
    return this.#failure;
  }

  /** True when the answer reached its end. */
  get complete(): boolean {
    return this.#complete;
  }

  #choice(index: number): Choice {
    for (let next = this.#response.choices.length; next <= index; next++) {
      this.#response.choices.push({ index: next, parts: [], finish: { kind: 'stop' } });
    }
    return this.#response.choices[index] as Choice;
  }

  #addExtras(extras: Extras | undefined): void {
    if (!extras) return;
    const merged: Extras = { ...this.#response.extras };
    for (const protocol of Object.keys(extras) as ProtocolId[]) {
      merged[protocol] = { ...merged[protocol], ...extras[protocol] };
    }
    this.#response.extras = merged;
  }
}

function startedPart({ kind, toolCall, reasoning, image, audio, extras }: PartStart): Part {
  const more = extras ? { extras } : {};
  switch (kind) {
    case 'text':
    case 'refusal':
      return { kind, text: '', ...more };
    case 'reasoning':
      return { kind, text: '', ...reasoning, ...more };
    case 'tool-call':
      return { kind, id: '', name: '', ...toolCall, arguments: '', ...more };
    case 'audio':
      return { kind, format: STREAMED_AUDIO_FORMAT, ...audio, data: '', ...more };
    case 'image':
      return { kind, source: { kind: 'data', ...(image ?? { mediaType: 'image/png', data: '' }) }, ...more };
  }
}

function addDelta(part: Part, choice: Choice, { text, citation, transcript, logprobs }: PartDelta): void {
  switch (part.kind) {
    case 'text':
      part.text += text;
      if (citation) part.citations = [...(part.citations ?? []), citation];
      break;
    case 'reasoning':
    case 'refusal':
      part.text += text;
      break;
    case 'tool-call':
      part.arguments += text;
      break;
    case 'audio':
      part.data += text;
      if (transcript !== undefined) part.transcript = (part.transcript ?? '') + transcript;
      break;
  }
  if (logprobs) choice.logprobs = joinLogprobs(choice.logprobs, logprobs);
}

function addEnd(part: Part, { signature, encrypted }: PartEnd): void {
  if (part.kind === 'text' && signature !== undefined) {
    // Only Gemini signs text. The signature is sent back with the text; other protocols have no field for it.
    part.extras = { ...part.extras, 'gemini-generate': { thoughtSignature: signature } };
  }
  if (part.kind !== 'reasoning' && part.kind !== 'tool-call') return;
  if (signature !== undefined) part.signature = signature;
  if (encrypted !== undefined && part.kind === 'reasoning') part.encrypted = encrypted;
}

/** Logprobs are lists per kind of text ({content: […], refusal: […]}); pieces are joined list by list. */
function joinLogprobs(earlier: JsonObject | undefined, later: JsonObject): JsonObject {
  if (!earlier) return later;
  const joined: JsonObject = { ...earlier };
  for (const [key, value] of Object.entries(later)) {
    const before: Json | undefined = joined[key];
    joined[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : (value ?? before ?? null);
  }
  return joined;
}
