/** Step 9, one route: encode or relay-patch, send, and wait until it really answers. */
import type { ChatRequest } from '../../core/chat.ts';
import { GatewayError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  type Cancellation,
  TransportError,
  type UpstreamCall,
  type UpstreamReply,
} from '../../platform/upstream/index.ts';
import type { CodecTarget, HttpParts } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { joinUrl, requestHeaders } from '../attempt/provider-http.ts';
import type { AttemptResult } from '../attempt/try-route.ts';
import type { Gateway, UpstreamProtocol } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { type Opening, openReply, openWhole, replyKind } from './open-reply.ts';
import { RequestMedia } from './request-media.ts';

/** What the request looks like to any route. */
export interface Prompt {
  request: ChatRequest;
  /** Bytes behind the addresses in the request, for protocols whose providers fetch none; made by the first that asks. */
  media: RequestMedia | undefined;
  /** The client's own body, when a speaker of the same protocol may get it patched instead of translated. */
  relayBody: JsonObject | undefined;
  clientProtocol: string;
  outputLimit: number | undefined;
}

export async function askChat(
  run: Run,
  prompt: Prompt,
  target: Target,
  cancellation: Cancellation,
  gw: Gateway,
): Promise<AttemptResult<Opening>> {
  const { provider } = target.route;
  const protocol = gw.upstreamProtocols[provider.protocol];
  const codecTarget = codecTargetOf(prompt, target);
  const patched = provider.protocol === prompt.clientProtocol ? relayParts(protocol, prompt, codecTarget) : undefined;
  const relayed = patched !== undefined;
  const parts = patched ?? (await translate(protocol, prompt, codecTarget, gw));
  for (const warning of parts.warnings)
    if (!run.call.trail.warnings.includes(warning)) run.call.trail.warnings.push(warning);
  const expected = { protocol, target: codecTarget, relayed, maxBytes: gw.settings.maxResponseBytes };
  let reply: UpstreamReply | undefined;
  try {
    reply = await gw
      .transportOf(provider)
      .send(upstreamCall(run, target, parts, relayed, codecTarget.stream, cancellation, gw));
    const kind = replyKind(reply, codecTarget);
    if (kind !== 'whole') return await openReply(kind, reply, expected);
    // The status line was the first event; from here on only silence counts.
    reply.markFirstEvent();
    return openWhole(await reply.text(expected.maxBytes), reply, expected);
  } catch (error) {
    reply?.abort('attempt failed');
    const status = reply?.status ?? null;
    if (error instanceof TransportError) return { failure: error.failure, status };
    if (!reply || error instanceof GatewayError) throw error;
    // An answer odd enough to break a decoder is this provider's; another one's may be sound.
    gw.log.error({ requestId: run.call.id, provider: provider.id, err: error }, 'an answer broke its decoder');
    return { failure: { kind: 'malformed', message: 'the answer could not be read' }, status };
  }
}

/** undefined when the body cannot be handed on as it is, with a few fields changed. */
function relayParts({ relay }: UpstreamProtocol, prompt: Prompt, target: CodecTarget): HttpParts | undefined {
  return relay && prompt.relayBody ? relay.patchRequest(prompt.relayBody, prompt.request, target) : undefined;
}

async function translate(
  { upstream }: UpstreamProtocol,
  prompt: Prompt,
  target: CodecTarget,
  gw: Gateway,
): Promise<HttpParts> {
  prompt.media ??= new RequestMedia(gw.fetchMedia);
  return upstream.encodeRequest(await prompt.media.putInto(prompt.request, upstream), target);
}

function upstreamCall(
  { call, deadlineAtMs, traceparents }: Run,
  target: Target,
  parts: HttpParts,
  relayed: boolean,
  stream: boolean,
  cancellation: Cancellation,
  gw: Gateway,
): UpstreamCall {
  const { route, credential } = target;
  const { provider } = route;
  const traceparent = traceparents.get(target);
  const { connectMs, firstEventMs, wholeAnswerMs, idleMs, totalMs } = provider.timeouts;
  const patienceMs = stream ? firstEventMs : wholeAnswerMs;
  return {
    pool: provider.id,
    egress: provider.egress,
    url: joinUrl(provider.baseUrl, parts.path),
    method: 'POST',
    headers: requestHeaders(
      provider,
      credential,
      parts.headers,
      call.hop + 1,
      traceparent,
      relayed ? call.relayHeaders : undefined,
    ),
    body: JSON.stringify(parts.body),
    cancellation,
    connectMs,
    headersMs: patienceMs,
    firstEventMs: patienceMs,
    // Some send their headers at once and the answer when it is made.
    idleMs: stream ? idleMs : wholeAnswerMs,
    deadlineAtMs: Math.min(deadlineAtMs, gw.clock.monotonicMs() + totalMs),
  };
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
