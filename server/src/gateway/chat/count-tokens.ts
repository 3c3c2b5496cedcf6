/**
 * `POST /messages/count_tokens` and `:countTokens`: free. A provider of the messages protocol counts exactly, with
 * tools, images and thinking, and is asked where the model has one; that never affects a route's health. Where none
 * answers, the count is our own.
 */

import type { DataDemand } from '@dargah/core/data-policy.ts';
import type { Model } from '../../catalog/index.ts';
import { type Answer, jsonAnswer } from '../../core/answer.ts';
import type { ChatRequest } from '../../core/chat.ts';
import { GatewayError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { dataDemands, unmetByRoute } from '../../keys/index.ts';
import { Cancellation, TransportError } from '../../platform/upstream/index.ts';
import {
  type CodecTarget,
  namedAtProvider,
  passHeaders,
  passListed,
  VERTEX_COUNT_PATH,
  vertexCount,
} from '../../protocols/index.ts';
import { type Target, targetsOf } from '../../routing/index.ts';
import { asksAuto } from '../admit/auto-choice.ts';
import { countInput, type FinishOptions } from '../admit/count-input.ts';
import { admitFree } from '../admit/free.ts';
import { checkBeforeParsing, hasMoney } from '../admit/large-body.ts';
import { withOwnKeys } from '../admit/own-keys.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { resolveModel } from '../admit/resolve.ts';
import { providerCall, requestHeaders } from '../attempt/provider-http.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { codecTargetOf } from './ask-chat.ts';

const PROTOCOL = 'anthropic-messages';
const PATH = '/v1/messages/count_tokens';
/** Coding agents wait for the number, so a late exact count is worth less than our own. */
const TIMEOUT_MS = 5_000;
/** Tokens of the provider's own instructions about tools, which it adds as soon as there is one. */
const TOOL_PROMPT_TOKENS = 346;
/** Fields of a request that only generating needs; the provider refuses some of them here. */
const GENERATING_FIELDS = [
  'max_tokens',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'metadata',
  'service_tier',
  'container',
];

/** How callers of one protocol ask for a count, and how they are told. */
export interface CountClient {
  decode(body: JsonObject): ChatRequest;
  encode(tokens: number): JsonObject;
  /** True when its body can be sent to a provider that counts. */
  byProvider?: true;
}

export async function answerCountTokens(
  call: Call,
  { decode, encode, byProvider }: CountClient,
  gw: Gateway,
): Promise<Answer> {
  const key = await admitFree(call, gw);
  const checking = checkBeforeParsing(call, key, gw);
  if (checking) await checking;
  const body = readJsonBody(call);
  const request = decode(body);
  // Which model `auto` would choose is not known beforehand, so the count is our own.
  const model = asksAuto(request, key) ? undefined : resolveModel(request.model, key, gw.catalog.current(), 'chat');
  // Uses the account's own key where it has one: without consent nothing goes to the operator's account at the vendor.
  const own = model && (withOwnKeys([model], key, gw)[0] ?? model);
  const mayAsk = byProvider && own && (namedAtProvider(request) === undefined || own !== model);
  const target = mayAsk && counterOf(own, dataDemands(key, request.svc.routing?.data), gw);
  // Nothing is sent for a caller who could not send it as a chat.
  const asked = target && (await hasMoney(key, gw));
  const counted = asked ? await askProvider(call, body, request, target, gw) : undefined;
  return jsonAnswer(encode(counted ?? (await countHere(request, gw))));
}

/** Our own count: what the request says, and a bound of what a provider adds to tools. */
export async function countHere(request: ChatRequest, gw: Gateway): Promise<number> {
  const hosted = request.extras[PROTOCOL]?.['hosted_tools'];
  const tools = request.tools.length > 0 || hosted !== undefined ? TOOL_PROMPT_TOKENS : 0;
  // The provider adds long descriptions of its own tools; the settings in the request are the smallest part.
  const described = hosted === undefined ? 0 : Math.ceil(JSON.stringify(hosted).length / 3);
  const input = countInput(request);
  if (!input.isWhole) await input.finish(freeCount(gw));
  return input.likely + tools + described;
}

/** Nothing is held for it, so a sample of long texts is enough. */
function freeCount({ randomBytes }: Gateway): FinishOptions {
  return { randomBytes, checkLeast: () => undefined, canPayMax: async () => true };
}

function counterOf(model: Model, wanted: readonly DataDemand[] | undefined, gw: Gateway): Target | undefined {
  return targetsOf(model).find(
    (target) =>
      target.route.provider.protocol === PROTOCOL &&
      (wanted === undefined || unmetByRoute(wanted, target.route) === undefined) &&
      // Amazon counts in another way, and only for few models.
      target.route.quirks.cloud !== 'bedrock' &&
      gw.router.isUsable(target),
  );
}

/**
 * The body as a chat would relay it; undefined for a request that a chat would refuse, because no provider is asked
 * about it.
 */
function passedFields(body: JsonObject, { quirks }: CodecTarget, warnings: string[]): JsonObject | undefined {
  try {
    return passListed(PROTOCOL, body, quirks, warnings);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** Returns undefined when the provider cannot say. */
async function askProvider(
  call: Call,
  body: JsonObject,
  request: ChatRequest,
  target: Target,
  gw: Gateway,
): Promise<number | undefined> {
  const { relay } = gw.upstreamProtocols[PROTOCOL];
  if (!relay) return undefined;
  const { provider } = target.route;
  const codecTarget = codecTargetOf(target, false, undefined);
  const parts = relay.patchRequest(body, request, codecTarget);
  const passed = passedFields(parts.body, codecTarget, call.metadata.warnings);
  if (!passed) return undefined;
  for (const field of GENERATING_FIELDS) delete passed[field];
  const headers = requestHeaders(
    provider,
    target.credential,
    parts.headers,
    call.hop + 1,
    undefined,
    passHeaders(call.relayHeaders, codecTarget.quirks, call.metadata.warnings, passed),
  );
  const isVertex = codecTarget.quirks.cloud === 'vertex';
  const path = isVertex ? VERTEX_COUNT_PATH : PATH;
  const asked = { path, body: JSON.stringify(isVertex ? vertexCount(passed) : passed), whole: true };
  const sent = providerCall(
    provider,
    target.credential,
    headers,
    asked,
    TIMEOUT_MS,
    gw.clock.monotonicMs() + TIMEOUT_MS,
  );
  const cancellation = new Cancellation();
  sent.cancellation = cancellation;
  call.client.onGone(() => cancellation.cancel('client gone'));
  try {
    const reply = await gw.transportOf(provider).send(sent);
    const answer = parseTrustedJson(await reply.text(gw.settings.maxResponseBytes));
    const tokens = reply.status === 200 && isJsonObject(answer) ? answer['input_tokens'] : undefined;
    return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : undefined;
  } catch (error) {
    if (error instanceof TransportError) return undefined;
    throw error;
  }
}
