/** Step 9, one route: encode or relay-patch, send, and wait until it really answers. */
import type { ChatRequest, ChatResponse } from '../core/chat.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { type Cancellation, TransportError, type UpstreamReply } from '../platform/upstream/index.ts';
import {
  type Target as CodecTarget,
  type HttpParts,
  isFailure,
  openGuard,
  unfoldResponse,
} from '../protocols/index.ts';
import type { Target } from '../routing/index.ts';
import type { Gateway, UpstreamLanguage } from './gateway.ts';
import { joinUrl, requestHeaders } from './provider-http.ts';
import type { Run } from './run.ts';
import type { AttemptResult } from './try-route.ts';
import { type Batch, UpstreamStream } from './upstream-stream.ts';

/** What the request looks like to any route. */
export interface Prompt {
  request: ChatRequest;
  /** The client's own body, when a speaker of the same language may get it patched instead of translated. */
  relayBody: JsonObject | undefined;
  clientProtocol: string;
  outputLimit: number | undefined;
}

export type Opening =
  | { kind: 'whole'; response: ChatResponse; body: JsonObject; relayed: boolean }
  | { kind: 'stream'; stream: UpstreamStream; first: Batch; relayed: boolean };

export async function askChat(
  run: Run,
  prompt: Prompt,
  target: Target,
  cancellation: Cancellation,
  gw: Gateway,
): Promise<AttemptResult<Opening>> {
  const { provider } = target.route;
  const language = gw.upstreamLanguages[provider.protocol];
  const codecTarget = codecTargetOf(prompt, target);
  const relayed =
    language.relay !== undefined && prompt.relayBody !== undefined && provider.protocol === prompt.clientProtocol;
  const parts = encode(language, prompt, codecTarget, relayed);
  for (const warning of parts.warnings)
    if (!run.call.trail.warnings.includes(warning)) run.call.trail.warnings.push(warning);
  let reply: UpstreamReply | undefined;
  try {
    reply = await gw.transportOf(provider).send({
      pool: provider.id,
      url: joinUrl(provider.baseUrl, parts.path),
      method: 'POST',
      headers: requestHeaders(
        provider,
        target.credential,
        relayed ? { ...run.call.relayHeaders, ...parts.headers } : parts.headers,
        run.call.hop + 1,
      ),
      body: JSON.stringify(parts.body),
      cancellation,
      connectMs: provider.timeouts.connectMs,
      headersMs: provider.timeouts.firstEventMs,
      firstEventMs: provider.timeouts.firstEventMs,
      idleMs: provider.timeouts.idleMs,
      deadlineAtMs: Math.min(run.deadlineAtMs, gw.clock.monotonicMs() + provider.timeouts.totalMs),
    });
    return await readReply(reply, language, codecTarget, relayed, gw);
  } catch (error) {
    reply?.abort('attempt failed');
    if (error instanceof TransportError) return { failure: error.failure, status: reply?.status ?? null };
    throw error;
  }
}

function encode(language: UpstreamLanguage, prompt: Prompt, target: CodecTarget, relayed: boolean): HttpParts {
  if (relayed && language.relay && prompt.relayBody)
    return language.relay.patchRequest(prompt.relayBody, prompt.request, target);
  return language.upstream.encodeRequest(prompt.request, target);
}

function codecTargetOf(prompt: Prompt, { route, model }: Target): CodecTarget {
  return {
    model: route.upstreamModel,
    stream: prompt.request.stream,
    maxOutputTokens: prompt.outputLimit,
    modelMaxOutput: model.maxOutput,
    capabilities: model.capabilities,
    quirks: route.quirks,
  };
}

async function readReply(
  reply: UpstreamReply,
  language: UpstreamLanguage,
  target: CodecTarget,
  relayed: boolean,
  gw: Gateway,
): Promise<AttemptResult<Opening>> {
  const { status } = reply;
  const type = reply.headers['content-type'] ?? '';
  if (status < 200 || status >= 300) {
    return { failure: language.upstream.decodeFailure(status, reply.headers, await reply.excerpt(65_536)), status };
  }
  if (type.includes('text/html')) {
    reply.abort('html');
    return { failure: { kind: 'malformed', status, message: 'an HTML page instead of an answer' }, status };
  }
  // Some providers answer a stream request with plain JSON: an error in disguise, or the whole answer at once.
  if (target.stream && !type.includes('json')) return openStream(reply, language, target, relayed);
  return openWhole(reply, language, target, relayed, gw);
}

async function openStream(
  reply: UpstreamReply,
  language: UpstreamLanguage,
  target: CodecTarget,
  relayed: boolean,
): Promise<AttemptResult<Opening>> {
  const stream = new UpstreamStream(reply, openGuard(language.upstream.openDecoder(target)));
  const { batch, failure } = await stream.untilFirstEvent();
  if (failure) {
    stream.abort('failed before the first event');
    return { failure, status: reply.status };
  }
  reply.markFirstEvent();
  return { opening: { kind: 'stream', stream, first: batch, relayed } };
}

async function openWhole(
  reply: UpstreamReply,
  language: UpstreamLanguage,
  target: CodecTarget,
  relayed: boolean,
  gw: Gateway,
): Promise<AttemptResult<Opening>> {
  // The status line was the first event; from here on only silence counts.
  reply.markFirstEvent();
  const text = await reply.text(gw.settings.maxResponseBytes);
  const body = parseTrustedJson(text);
  if (!isJsonObject(body)) {
    return {
      failure: { kind: 'malformed', status: reply.status, message: 'the body is not a JSON object' },
      status: reply.status,
    };
  }
  const response = language.upstream.decodeResponse(body, target);
  if (isFailure(response)) return { failure: response, status: reply.status };
  return { opening: { kind: 'whole', response, body, relayed } };
}

/** For a client that wanted a stream from a provider that sent everything at once. */
export function eventsOf(response: ChatResponse): Batch {
  return { frames: [], events: unfoldResponse(response) };
}
