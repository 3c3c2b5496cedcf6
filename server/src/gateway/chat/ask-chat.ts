/** Step 9 of chat: the request encoded or relay-patched for one route, and sent. */
import type { ChatRequest } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import { type CodecTarget, type HttpParts, passHeaders, passListed } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { type Attempt, callProvider } from '../attempt/call-provider.ts';
import type { AttemptResult } from '../attempt/try-route.ts';
import type { Call } from '../call.ts';
import type { Gateway, UpstreamProtocol } from '../gateway.ts';
import { memoryOf } from '../request-memory.ts';
import { type BegunAnswer, type Expected, openReply } from './open-reply.ts';
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

export function askChat(attempt: Attempt, prompt: Prompt, gw: Gateway): Promise<AttemptResult<BegunAnswer>> {
  const { provider } = attempt.target.route;
  const protocol = gw.upstreamProtocols[provider.protocol];
  const target = codecTargetOf(attempt.target, prompt.request.stream, prompt.outputLimit);
  const sameProtocol = provider.protocol === prompt.clientProtocol;
  const patched = sameProtocol ? relayParts(protocol, prompt, target) : undefined;
  if (patched) return sendChat(attempt, patched, { protocol, target, relayed: true, sameProtocol }, gw);
  return translate(protocol, prompt, target, attempt.run.call, gw).then((parts) =>
    sendChat(attempt, parts, { protocol, target, relayed: false, sameProtocol }, gw),
  );
}

function sendChat(
  attempt: Attempt,
  { path, headers, body, warnings }: HttpParts,
  sent: Omit<Expected, 'maxBytes'>,
  gw: Gateway,
): Promise<AttemptResult<BegunAnswer>> {
  const { provider } = attempt.target.route;
  const { protocol, target, relayed, sameProtocol } = sent;
  const passed = passListed(provider.protocol, body, target.quirks, warnings);
  const expected = { protocol, target, relayed, sameProtocol, maxBytes: gw.settings.maxResponseBytes };
  return callProvider(
    attempt,
    {
      path,
      headers,
      body: JSON.stringify(passed),
      warnings,
      whole: !target.stream,
      relayHeaders: relayed ? passHeaders(attempt.run.call.relayHeaders, target.quirks, warnings) : undefined,
      decodeFailure: protocol.upstream.decodeFailure,
    },
    (reply, contentType) => openReply(reply, contentType, expected),
    gw,
  );
}

/** undefined when the body cannot be handed on as it is, with a few fields changed. */
function relayParts({ relay }: UpstreamProtocol, prompt: Prompt, target: CodecTarget): HttpParts | undefined {
  return relay && prompt.relayBody ? relay.patchRequest(prompt.relayBody, prompt.request, target) : undefined;
}

async function translate(
  { upstream }: UpstreamProtocol,
  prompt: Prompt,
  target: CodecTarget,
  call: Call,
  gw: Gateway,
): Promise<HttpParts> {
  prompt.media ??= new RequestMedia(gw.fetchMedia, () => memoryOf(call, gw));
  return upstream.encodeRequest(await prompt.media.putInto(prompt.request, upstream), target);
}

export function codecTargetOf(
  { route, model }: Target,
  stream: boolean,
  maxOutputTokens: number | undefined,
): CodecTarget {
  return {
    model: route.upstreamModel,
    stream,
    maxOutputTokens,
    modelMaxOutput: model.maxOutput,
    capabilities: model.capabilities,
    quirks: route.quirks,
  };
}
