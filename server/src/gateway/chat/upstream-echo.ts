/**
 * `svc.debug: "upstream"`: the request as it was sent to the provider that answered, told with the answer and kept nowhere. It
 * shows who supplies the operator, so it is for the operator's own keys and for accounts that staff opened it for.
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
/** What a provider may have been told that is no secret; of every other header only the name is shown. */
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
/** More of a body is cut: an echo is read by people, and pictures say nothing to them. */
const MAX_BODY_CHARACTERS = 256 * 1024;
/** Shorter texts are no secrets, and taking them out would tear everything else apart. */
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

/** Refuses what would keep the answer, and with it the echo. */
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
    // What follows a question mark may be a key.
    path: hide(url.pathname),
    headers,
    ...bodyOf(call, hide),
  };
}

function bodyOf({ body }: UpstreamCall, hide: (text: string) => string): JsonObject {
  if (typeof body !== 'string') return { body: null };
  const text = hide(body);
  if (text.length > MAX_BODY_CHARACTERS)
    return { body: null, body_text: text.slice(0, MAX_BODY_CHARACTERS), body_characters: text.length };
  return { body: parseTrustedJson(text) ?? text };
}

/** All of the provider's, not only the one that was used. */
function secretsOf({ credentials, headers }: Provider, url: URL): string[] {
  const own = [
    ...credentials.flatMap(({ secret }) => secretPartsOf(secret)),
    url.username,
    url.password,
    ...url.searchParams.values(),
  ];
  return [...own, ...Object.values(headers ?? {})].filter((secret) => secret.length >= MIN_SECRET);
}

/** Also as it stands inside JSON. */
function hiding(secrets: readonly string[]): (text: string) => string {
  const written = new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  const longestFirst = [...written].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), text);
}
