/** What a chat asks one route: the request encoded or relay-patched for it, and what counts as an answer. */
import type { HostedCalls } from '../../core/chat.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import { type CodecTarget, type HttpParts, passHeaders, passListed } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Question } from '../attempt/question.ts';
import type { Call } from '../call.ts';
import type { Gateway, UpstreamProtocol } from '../gateway.ts';
import { memoryOf } from '../request-memory.ts';
import { type BegunAnswer, type Expected, openReply } from './open-reply.ts';
import type { AskedChat, PaidChat } from './read-chat.ts';
import { RequestMedia } from './request-media.ts';

export function chatQuestion(
  { asked, run, admitted }: PaidChat,
  target: Target,
  gw: Gateway,
): MaybePromise<Question<BegunAnswer>> {
  const { call } = run;
  const { protocol: name } = target.route.provider;
  const protocol = gw.upstreamProtocols[name];
  const codecTarget = codecTargetOf(target, asked.stream, admitted.outputLimit);
  const sameProtocol = name === asked.protocol.client.protocol;
  const patched = sameProtocol ? relayParts(protocol, asked, codecTarget) : undefined;
  const { maxResponseBytes: maxBytes } = gw.settings;
  const expected = { protocol, target: codecTarget, relayed: patched !== undefined, sameProtocol, maxBytes };
  const hosted = asked.request.priced?.hosted;
  if (patched) return questionOf(patched, expected, target, call, hosted);
  return translate(protocol, asked, codecTarget, call, gw).then((parts) =>
    questionOf(parts, expected, target, call, hosted),
  );
}

function questionOf(
  { path, headers, body, warnings }: HttpParts,
  expected: Expected,
  { route, model }: Target,
  { relayHeaders }: Call,
  hosted: HostedCalls | undefined,
): Question<BegunAnswer> {
  const { protocol, target, relayed } = expected;
  const sold = hosted || model.price.serviceTiers ? { price: model.price, hosted } : undefined;
  const passed = passListed(route.provider.protocol, body, target.quirks, warnings, sold);
  return {
    path,
    headers,
    body: JSON.stringify(passed),
    warnings,
    whole: !target.stream,
    relayHeaders: relayed ? passHeaders(relayHeaders, target.quirks, warnings, passed) : undefined,
    decodeFailure: protocol.upstream.decodeFailure,
    open: (reply, contentType) => openReply(reply, contentType, expected),
  };
}

/** undefined when the body cannot be handed on as it is, with a few fields changed. */
function relayParts({ relay }: UpstreamProtocol, asked: AskedChat, target: CodecTarget): HttpParts | undefined {
  return relay && asked.relayBody ? relay.patchRequest(asked.relayBody, asked.prompt, target) : undefined;
}

async function translate(
  { upstream }: UpstreamProtocol,
  asked: AskedChat,
  target: CodecTarget,
  call: Call,
  gw: Gateway,
): Promise<HttpParts> {
  asked.media ??= new RequestMedia(gw.fetchMedia, () => memoryOf(call, gw));
  return upstream.encodeRequest(await asked.media.putInto(asked.prompt, upstream), target);
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
