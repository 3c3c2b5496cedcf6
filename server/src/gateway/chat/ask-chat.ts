/** What a chat asks one route: the request encoded or relay-patched for it, and what counts as an answer. */
import type { HostedCalls } from '../../core/chat.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import {
  type CodecTarget,
  type HttpParts,
  isMessagesCloud,
  mediaUrls,
  passHeaders,
  passListed,
  throughCloud,
} from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Question } from '../attempt/question.ts';
import type { Call } from '../call.ts';
import type { Gateway, UpstreamProtocol } from '../gateway.ts';
import { memoryOf } from '../request-memory.ts';
import { type BegunAnswer, type Expected, openReply } from './open-reply.ts';
import { takesCacheKey, wantsMarks } from './prompt-cache.ts';
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
  const sent = sentTo(target, asked);
  const patched = sameProtocol ? relayParts(protocol, sent, codecTarget) : undefined;
  const { maxResponseBytes: maxBytes } = gw.settings;
  const expected = {
    protocol,
    target: codecTarget,
    relayed: patched !== undefined,
    sameProtocol,
    maxBytes,
    folded: asked.judged,
  };
  const hosted = asked.request.priced?.hosted;
  if (patched) return questionOf(withCacheKey(patched, target, asked), expected, target, call, hosted);
  return translate(protocol, sent, asked, codecTarget, call, gw).then((parts) =>
    questionOf(withCacheKey(parts, target, asked), expected, target, call, hosted),
  );
}

type SentPrompt = Pick<AskedChat, 'prompt' | 'relayBody'>;

/** The request with the markers of the prompt-cache helper, where this route reads them. */
function sentTo(target: Target, asked: AskedChat): SentPrompt {
  const { marked } = asked;
  if (!marked?.prompt || !wantsMarks(target)) return asked;
  return { prompt: marked.prompt, relayBody: marked.relayBody };
}

function withCacheKey(parts: HttpParts, target: Target, { marked }: AskedChat): HttpParts {
  if (marked?.cacheKey !== undefined && takesCacheKey(target)) parts.body['prompt_cache_key'] ??= marked.cacheKey;
  return parts;
}

function questionOf(
  { path, headers, body, warnings }: HttpParts,
  expected: Expected,
  { route, model }: Target,
  { relayHeaders, literals }: Call,
  hosted: HostedCalls | undefined,
): Question<BegunAnswer> {
  const { protocol, target, relayed } = expected;
  const sold = hosted || model.price.serviceTiers ? { price: model.price, hosted } : undefined;
  const passed = passListed(route.provider.protocol, body, target.quirks, warnings, sold);
  const passedHeaders = relayed ? passHeaders(relayHeaders, target.quirks, warnings, passed) : undefined;
  const inCloud = isMessagesCloud(route.provider.protocol, target)
    ? throughCloud(passed, passedHeaders, target, warnings)
    : undefined;
  const written = inCloud?.body ?? passed;
  return {
    path: inCloud?.path ?? path,
    headers: inCloud?.headers ?? headers,
    body: literals?.write(written) ?? JSON.stringify(written),
    warnings,
    whole: !target.stream,
    relayHeaders: inCloud ? inCloud.relayHeaders : passedHeaders,
    decodeFailure: protocol.upstream.decodeFailure,
    open: (reply, contentType) => openReply(reply, contentType, expected),
  };
}

/** Returns undefined when the body cannot be relayed with a few fields changed. */
function relayParts(
  { relay, upstream }: UpstreamProtocol,
  asked: SentPrompt,
  target: CodecTarget,
): HttpParts | undefined {
  // Pictures that the provider does not fetch must be inlined first.
  const { quirks } = target;
  if (quirks.cloud && mediaUrls(asked.prompt).some((url) => upstream.readsUrl?.(url, quirks) === false))
    return undefined;
  return relay && asked.relayBody ? relay.patchRequest(asked.relayBody, asked.prompt, target) : undefined;
}

async function translate(
  { upstream }: UpstreamProtocol,
  sent: SentPrompt,
  asked: AskedChat,
  target: CodecTarget,
  call: Call,
  gw: Gateway,
): Promise<HttpParts> {
  asked.media ??= new RequestMedia(gw.fetchMedia, () => memoryOf(call, gw));
  return upstream.encodeRequest(await asked.media.putInto(sent.prompt, upstream, target.quirks), target);
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
