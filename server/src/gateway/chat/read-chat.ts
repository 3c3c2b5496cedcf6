/** Step 4 of a chat: the body, completed where the protocol completes it, and decoded. */
import type { ChatRequest, ProtocolId } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { askedTier, hostedCalls, type Reference } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import type { AutoChoice } from '../admit/auto-choice.ts';
import { cacheOf } from '../admit/cache-of.ts';
import { readJsonBody } from '../admit/read-body.ts';
import type { Call } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import type { Asked, PaidRequest } from '../paid/paid-endpoint.ts';
import { type KnowledgePlan, NO_KNOWLEDGE } from './knowledge.ts';
import { mayCache } from './may-cache.ts';
import { type Promised, promisedOf } from './promised.ts';
import type { RequestMedia } from './request-media.ts';
import type { Resume } from './resumable.ts';
import { resumeOf } from './resume-of.ts';
import { checkEcho } from './upstream-echo.ts';

/** A copy of the request with markers, for routes that read them. */
export interface MarkedPrompt {
  prompt: ChatRequest | undefined;
  relayBody: JsonObject | undefined;
  /** A hint by which OpenAI sends requests with the same beginning to the same machine; it is free. */
  cacheKey: string | undefined;
}

/** A decoded chat, and what its later steps record about it. */
export interface AskedChat extends Asked {
  readonly request: ChatRequest;
  readonly judged: boolean;
  /** What is promised of the answer, where it is judged. */
  readonly promised: Promised | undefined;
  readonly protocol: ClientProtocol;
  /** The knowledge bases it asks for. */
  knowledge: KnowledgePlan;
  /** What the model is sent: the request with passages of the knowledge bases before it. */
  prompt: ChatRequest;
  /** Where the passages came from. Never changed, since requests without knowledge share the empty one. */
  references: Reference[];
  /** The client's own body, when a provider of the same protocol may get it patched instead of translated. */
  relayBody: JsonObject | undefined;
  /** Bytes behind the addresses in the request, for protocols whose providers fetch none; loaded when first needed. */
  media: RequestMedia | undefined;
  /** What routes are sent that cache only marked prefixes; undefined: nothing is marked. */
  marked: MarkedPrompt | undefined;
  /** Its stream outlives its connection. */
  readonly resume: Resume | undefined;
  /** Another route continues where its provider breaks off. */
  readonly continues: boolean;
  /** What each route was sent, where the answer tells it. */
  echoes: Map<Target, JsonObject> | undefined;
  /** What `auto` chose; undefined for a request that names a model. */
  auto: AutoChoice | undefined;
}

export type PaidChat = PaidRequest<AskedChat>;

const NO_REFERENCES: Reference[] = [];

export function readChatRequest(
  call: Call,
  key: KeySnapshot,
  protocol: ClientProtocol,
  gw: Gateway,
): MaybePromise<AskedChat> {
  const sent = readJsonBody(call);
  if (!protocol.prepare) return decode(sent, call, key, protocol, gw);
  return protocol.prepare(sent, key).then((body) => decode(body, call, key, protocol, gw));
}

function decode(
  body: JsonObject,
  call: Call,
  key: KeySnapshot,
  protocol: ClientProtocol,
  { settings }: Gateway,
): AskedChat {
  const request = protocol.client.decodeRequest(body);
  const resume = resumeOf(request, key.rules.resumeSeconds, protocol, settings.resumeMaxSeconds);
  const cache = cacheOf(request.svc, key.rules.cacheSeconds, settings.cacheMaxSeconds);
  if (request.svc.debug) checkEcho(call, key, resume !== undefined);
  const promised = promisedOf(request, protocol.client.protocol, key.rules.guarantee);
  askBeside(protocol.client.protocol, request, body);
  if (key.rules.streamUsage === 'always') request.includeUsage ??= true;
  return {
    request,
    stream: request.stream,
    // A whole answer is finished even when its client left, since the provider charges it anyway.
    stopsWhenGone: request.stream,
    protocol,
    knowledge: NO_KNOWLEDGE,
    prompt: request,
    references: NO_REFERENCES,
    relayBody: protocol.translated ? undefined : body,
    media: undefined,
    marked: undefined,
    echoes: undefined,
    auto: undefined,
    resume,
    // A guaranteed answer must be made for this request, so the cache is not used.
    cache: cache && promised === undefined && mayCache(request, protocol) ? cache : undefined,
    promised,
    judged: promised !== undefined,
    continues: request.svc.routing?.continue ?? key.rules.continueAnswers,
  };
}

/** Nearly no request asks for anything but tokens at their normal price. */
function askBeside(protocol: ProtocolId, request: ChatRequest, body: JsonObject): void {
  const tier = askedTier(protocol, body);
  const hosted = hostedCalls(protocol, request, body);
  if (tier === undefined && hosted === undefined) return;
  request.priced = { ...request.priced, protocol, ...(tier !== undefined && { tier }), ...(hosted && { hosted }) };
}
