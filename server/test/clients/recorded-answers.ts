/** A recorded answer: replayed on the wire, and what it says when it is decoded without a gateway in between. */
import { isDeepStrictEqual } from 'node:util';
import type { ChatResponse, Part } from '../../src/core/chat.ts';
import { parseTrustedJson } from '../../src/core/json.ts';
import { completionTokens, promptTokens } from '../../src/core/usage.ts';
import { isFailure, type UpstreamCodec } from '../../src/protocols/index.ts';
import type { Behaviour, RecordedRequest } from '../fake-vendor/wire.ts';
import type { Exchange } from '../protocols/corpus.ts';
import { target } from '../protocols/openai-chat/fixtures.ts';
import { decodeText, foldEvents } from '../protocols/streams.ts';
import type { Reply } from './client.ts';

export interface Said {
  text: string;
  toolCalls: { name: string; arguments: unknown }[];
  finish: Reply['finish'];
  /** Messages has no other place for a refusal than the reason to stop. */
  refused?: boolean;
  /** undefined: not reported; the gateway tells its own estimate then. */
  usage: Reply['usage'] | undefined;
}

export function isStream({ stream, resp }: Exchange): boolean {
  return stream || resp.startsWith('data:');
}

/** The question names the recording, so that many can be asked at once. */
export function questionFor({ id }: Exchange): string {
  return `recording ${id}.`;
}

export function replay(exchanges: Map<string, Exchange>, { raw }: RecordedRequest): Behaviour {
  const id = /recording ([0-9a-f]+)\./.exec(raw.toString())?.[1] ?? '';
  const exchange = exchanges.get(id);
  return (wire) => {
    if (!exchange) throw new Error(`no recording is named in ${raw.toString()}`);
    wire.head(200, { 'content-type': isStream(exchange) ? 'text/event-stream' : 'application/json' });
    wire.end(exchange.resp);
  };
}

export function saidBy({ text, toolCalls, finish, usage }: Reply): Said {
  return {
    text,
    toolCalls: toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given })),
    finish,
    usage,
  };
}

/** undefined: the recording is a failure, and must be one to a client too. */
export function saidDirectly(exchange: Exchange, codec: UpstreamCodec): Said | undefined {
  const decoded = isStream(exchange)
    ? foldEvents(decodeText(codec.openDecoder(target({}, { stream: true })), exchange.resp))
    : codec.decodeResponse(parseTrustedJson(exchange.resp) ?? null, target());
  return isFailure(decoded) ? undefined : saidIn(decoded);
}

function saidIn({ choices, usage }: ChatResponse): Said | undefined {
  const choice = choices[0];
  if (!choice) return undefined;
  return {
    text: choice.parts.map((part) => (part.kind === 'text' || part.kind === 'refusal' ? part.text : '')).join(''),
    toolCalls: choice.parts.flatMap(callIn),
    finish: choice.finish.kind,
    refused: choice.parts.some(({ kind }) => kind === 'refusal'),
    usage: usage && {
      input: promptTokens(usage),
      cached: usage.buckets.cacheRead ?? 0,
      output: completionTokens(usage),
    },
  };
}

function callIn(part: Part): Said['toolCalls'] {
  if (part.kind !== 'tool-call') return [];
  return [{ name: part.name, arguments: parseTrustedJson(part.arguments || '{}') }];
}

export function isSame(read: Said, { refused, ...direct }: Said): boolean {
  if (refused && read.finish === 'content-filter') direct.finish = 'content-filter';
  if (direct.usage) return isDeepStrictEqual(read, direct);
  const estimated = read.usage !== undefined && read.usage.input > 0 && read.usage.output > 0;
  return estimated && isDeepStrictEqual({ ...read, usage: undefined }, direct);
}
