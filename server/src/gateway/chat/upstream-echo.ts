/**
 * `svc.debug: "upstream"`: the request as it was sent to the answering provider, returned with the answer and stored
 * nowhere. It reveals the operator's suppliers, so only the operator's own keys and accounts that staff allowed may use
 * it.
 */
import type { Provider } from '../../catalog/index.ts';
import { secretPartsOf } from '../../core/cloud-credentials.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { OPERATOR_ACCOUNT } from '../../core/operator-account.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { UpstreamCall } from '../../platform/upstream/index.ts';
import type { Call } from '../call.ts';
import { gatewayReasons } from '../reasons.ts';

const PARAM = 'svc.debug';
/** Headers whose values are no secret; of every other header only the name is shown. */
const SHOWN_HEADERS = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'openai-beta',
  'user-agent',
  'x-svc-hop',
]);
const REMOVED = '[removed]';
/** Longer bodies are cut: people read an echo, and base64 tells them nothing. */
const MAX_BODY_CHARACTERS = 256 * 1024;
/** Shorter texts are no secrets, and removing them would garble everything else. */
const MIN_SECRET = 6;

/** Staff open it for an account (`upstream_echo`); nobody else reads who supplies the operator. */
function checkEchoAllowed({ account }: KeySnapshot): void {
  if (account.rules.upstreamEcho || account.id === OPERATOR_ACCOUNT) return;
  throw new GatewayError('forbidden', {
    param: PARAM,
    ruleOf: 'account',
    instead: gatewayReasons.echoNotAllowed,
    detail: { rule: 'upstream_echo' },
  });
}

/** Refuses options that would store the answer, and with it the echo. */
export function checkEcho(call: Call, key: KeySnapshot, isKept: boolean): void {
  checkEchoAllowed(key);
  if (call.idempotencyKey !== undefined) throw invalidRequest(PARAM, gatewayReasons.echoNotWith('Idempotency-Key'));
  if (isKept) throw invalidRequest(PARAM, gatewayReasons.echoNotWith('svc.resume_seconds'));
  if (key.keepTextsDays !== undefined) throw invalidRequest(PARAM, gatewayReasons.echoNotWith('log_prompts'));
}

/** For a turn of the Responses protocol, which is stored unless it says otherwise. */
export function checkEchoOfTurn(svc: Json | undefined, key: KeySnapshot, isStored: boolean): void {
  if (!isJsonObject(svc) || svc['debug'] === undefined || svc['debug'] === null) return;
  checkEchoAllowed(key);
  if (isStored) throw invalidRequest(PARAM, gatewayReasons.echoNotWith('store'));
}

export function echoOf(call: UpstreamCall, provider: Provider): JsonObject {
  const url = new URL(call.url);
  const hide = hiding(secretsOf(provider, url));
  const headers: JsonObject = {};
  for (const name of Object.keys(call.headers).sort())
    headers[name] = SHOWN_HEADERS.has(name.toLowerCase()) ? hide(call.headers[name] ?? '') : REMOVED;
  return {
    method: call.method,
    host: url.host,
    // The query of an address may contain a key.
    path: hide(url.pathname),
    headers,
    ...bodyOf(call, hide),
  };
}

function bodyOf({ body }: UpstreamCall, hide: (text: string) => string): JsonObject {
  const written = Array.isArray(body) ? Buffer.concat(body).toString('utf8') : body;
  if (typeof written !== 'string') return { body: null };
  const text = hide(written);
  if (text.length > MAX_BODY_CHARACTERS)
    return { body: null, body_text: text.slice(0, MAX_BODY_CHARACTERS), body_characters: text.length };
  return { body: parseTrustedJson(text) ?? text };
}

/** All secrets of the provider, not only the one that was used. */
function secretsOf({ credentials, headers }: Provider, url: URL): string[] {
  const own = [
    ...credentials.flatMap(({ secret }) => secretPartsOf(secret)),
    url.username,
    url.password,
    ...url.searchParams.values(),
  ];
  return [...own, ...Object.values(headers ?? {})].filter((secret) => secret.length >= MIN_SECRET);
}

/** Hides the secrets also in the escaped form that they have inside JSON. */
function hiding(secrets: readonly string[]): (text: string) => string {
  const written = new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  const longestFirst = [...written].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
}
