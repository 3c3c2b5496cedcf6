/** What a chat asks one route: the request encoded or relay-patched for it, and what counts as an answer. */
import type { ChatRequest } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Soon } from '../../core/soon.ts';
import { type CodecTarget, type HttpParts, passHeaders, passListed } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Question } from '../attempt/question.ts';
import type { Call } from '../call.ts';
import type { Gateway, UpstreamProtocol } from '../gateway.ts';
import { memoryOf } from '../request-memory.ts';
import type { Run } from '../settle/run.ts';
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

export interface PaidChat {
  readonly run: Run;
  readonly prompt: Prompt;
}

export function chatQuestion({ run, prompt }: PaidChat, target: Target, gw: Gateway): Soon<Question<BegunAnswer>> {
  const { call } = run;
  const { protocol: name } = target.route.provider;
  const protocol = gw.upstreamProtocols[name];
  const codecTarget = codecTargetOf(target, prompt.request.stream, prompt.outputLimit);
  const sameProtocol = name === prompt.clientProtocol;
  const patched = sameProtocol ? relayParts(protocol, prompt, codecTarget) : undefined;
  const { maxResponseBytes: maxBytes } = gw.settings;
  const expected = { protocol, target: codecTarget, relayed: patched !== undefined, sameProtocol, maxBytes };
  if (patched) return questionOf(patched, expected, target, call);
  return translate(protocol, prompt, codecTarget, call, gw).then((parts) => questionOf(parts, expected, target, call));
}

function questionOf(
  { path, headers, body, warnings }: HttpParts,
  expected: Expected,
  { route }: Target,
  { relayHeaders }: Call,
): Question<BegunAnswer> {
  const { protocol, target, relayed } = expected;
  return {
    path,
    headers,
    body: JSON.stringify(passListed(route.provider.protocol, body, target.quirks, warnings)),
    warnings,
    whole: !target.stream,
    relayHeaders: relayed ? passHeaders(relayHeaders, target.quirks, warnings) : undefined,
    decodeFailure: protocol.upstream.decodeFailure,
    open: (reply, contentType) => openReply(reply, contentType, expected),
  };
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
