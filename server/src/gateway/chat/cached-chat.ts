/** Chats in the response cache: which requests are equal, and a stored answer as a begun answer. */
import { createHash } from 'node:crypto';
import type { ChatRequest, ChatResponse } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { sortedJson } from '../../core/sorted-json.ts';
import type { Usage } from '../../core/usage.ts';
import { EventFold } from '../../protocols/index.ts';
import type { RequestPlan } from '../admit/plan.ts';
import type { CachedAnswers, Recording } from '../paid/paid-endpoint.ts';
import type { AnsweredWhole, BegunAnswer } from './open-reply.ts';
import type { AskedChat, PaidChat } from './read-chat.ts';
import type { AnswerStream, EventBatch } from './upstream-stream.ts';

/** Must change whenever the form of stored answers or of the digest changes. */
const FORMAT = 1;

/**
 * Fields of a body that do not affect the answer's content: who asks, how the answer is written and where it is stored.
 */
const BESIDE_THE_ANSWER: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'stream_options',
  'user',
  'safety_identifier',
  'metadata',
  'svc',
  'store',
  'prompt_cache_key',
  'prompt_cache_retention',
]);

export const cachedChats: CachedAnswers<AskedChat, BegunAnswer> = {
  digest: digestOf,
  record: (begun, { settings }) =>
    begun.kind === 'whole' ? recordWhole(begun) : recordStream(begun, settings.cacheMaxAnswerBytes),
  read(text) {
    const kept = parseTrustedJson(text);
    if (!isJsonObject(kept) || kept['format'] !== FORMAT) return undefined;
    const { response, relayBody } = kept as unknown as { response: ChatResponse; relayBody?: JsonObject };
    return { kind: 'whole', response, relayBody };
  },
};

/**
 * The digest covers what the model is sent, passages of knowledge bases included, so that a changed base is never
 * ignored.
 */
function digestOf({ asked, run }: PaidChat, { model }: RequestPlan): string {
  const { request, prompt, relayBody } = asked;
  const { endpoint, relayHeaders } = run.call;
  const material = {
    format: FORMAT,
    endpoint,
    model: model.id,
    // Another model behind the same name answers differently.
    upstream: model.routes.map(({ provider, upstreamModel }) => `${provider.id} ${upstreamModel}`).sort(),
    headers: relayHeaders,
    routing: request.svc.routing,
    // Includes the key's data rule: whoever answered must have stated it.
    data: run.told?.data?.demanded,
    bases: [...request.svc.knowledgeBaseIds].sort(),
    asked: relayBody ? answerFields(relayBody) : canonicalFields(prompt),
  };
  return createHash('sha256')
    .update(sortedJson(material as unknown as Json))
    .digest('base64url');
}

function answerFields(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !BESIDE_THE_ANSWER.has(name)));
}

function canonicalFields(prompt: ChatRequest): object {
  const { messages, output, sampling, maxOutputTokens, reasoning, toolChoice, extras } = prompt;
  const own = Object.entries(extras).map(([protocol, fields]) => [protocol, answerFields(fields)]);
  return { messages, output, sampling, maxOutputTokens, reasoning, toolChoice, extras: Object.fromEntries(own) };
}

function recordWhole(begun: AnsweredWhole): Recording<BegunAnswer> {
  return { begun, text: (usage) => textOf(begun.response, usage, begun.relayBody) };
}

function recordStream(begun: Extract<BegunAnswer, { kind: 'stream' }>, maxCharacters: number): Recording<BegunAnswer> {
  const stream = new RecordedStream(begun.stream, begun.first, maxCharacters);
  return {
    begun: { ...begun, stream },
    text: (usage) => (stream.whole ? textOf(stream.whole, usage, undefined) : undefined),
  };
}

/** Stored with the usage that was charged: a hit is charged by the same. */
function textOf(response: ChatResponse, usage: Usage, relayBody: JsonObject | undefined): string | undefined {
  if (!isKeepable(response)) return undefined;
  return JSON.stringify({ format: FORMAT, response: { ...response, usage }, relayBody });
}

/** Answers that were cut or refused, or that call a tool, are not stored. */
function isKeepable({ choices }: ChatResponse): boolean {
  return (
    choices.length > 0 &&
    choices.every(
      ({ finish, parts }) =>
        finish.kind === 'stop' &&
        parts.every(({ kind }) => kind === 'text' || kind === 'reasoning' || kind === 'image'),
    )
  );
}

/** Folds what goes out, as long as it could be stored. */
class RecordedStream implements AnswerStream {
  readonly #stream: AnswerStream;
  #fold: EventFold | undefined = new EventFold();
  #left: number;

  constructor(stream: AnswerStream, first: EventBatch, maxCharacters: number) {
    this.#stream = stream;
    this.#left = maxCharacters;
    this.#see(first);
  }

  get ended(): boolean {
    return this.#stream.ended;
  }

  /** Returns undefined unless the answer reached its end and went out completely. */
  get whole(): ChatResponse | undefined {
    const fold = this.#fold;
    return fold?.complete && !fold.failure ? fold.response() : undefined;
  }

  async next(): Promise<EventBatch | null> {
    const batch = await this.#stream.next();
    if (batch) this.#see(batch);
    return batch;
  }

  abort(reason: string): void {
    this.#fold = undefined;
    this.#stream.abort(reason);
  }

  #see({ events }: EventBatch): void {
    for (const event of events) {
      if (event.type === 'unread-text') continue;
      if (event.type === 'part-delta') this.#left -= event.text.length;
      if (this.#left < 0) this.#fold = undefined;
      this.#fold?.push(event);
    }
  }
}
