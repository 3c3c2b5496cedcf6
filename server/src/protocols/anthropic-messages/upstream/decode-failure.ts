/** What went wrong at a provider of this protocol, from a status or from an error in the body or stream. */
import type { FailureKind, UpstreamFailure } from '../../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../../core/json.ts';
import { awsFailure, isAwsFailure } from '../../aws-failure.ts';
import {
  errorIn as googleErrorIn,
  decodeFailure as googleFailure,
} from '../../gemini-generate/upstream/decode-failure.ts';
import { retryAfterMs } from '../../retry-after.ts';

const MAX_MESSAGE_CHARS = 2000;

const KIND_OF_TYPE: Record<string, FailureKind> = {
  invalid_request_error: 'client-fault',
  request_too_large: 'client-fault',
  authentication_error: 'credential',
  permission_error: 'credential',
  billing_error: 'credential',
  not_found_error: 'model-gone',
  rate_limit_error: 'rate-limited',
  timeout_error: 'timeout',
  api_error: 'server',
  overloaded_error: 'server',
};

export function decodeFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure {
  if (isAwsFailure(headers)) return awsFailure(status, headers, text);
  const body = parseTrustedJson(text);
  if (isGoogleError(body)) return googleFailure(status, headers, text);
  const error = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : undefined;
  const wait = retryAfterMs(headers, '');
  const failure = error ? fromError(error, kindOfStatus(status)) : { kind: kindOfStatus(status), message: cut(text) };
  return { ...failure, status, ...(wait !== undefined && { retryAfterMs: wait }) };
}

/** Vertex reports errors of its own in Google's form, even for Anthropic's models. */
function isGoogleError(body: Json | undefined): boolean {
  const error = googleErrorIn(body);
  return error !== undefined && error['type'] === undefined && typeof error['code'] === 'number';
}

/** The error object of a body or of an `error` event; undefined when there is none. */
export function findError(value: Json | undefined): UpstreamFailure | undefined {
  if (!isJsonObject(value)) return undefined;
  if (isJsonObject(value['error'])) return fromError(value['error'], 'server');
  return value['type'] === 'error' ? { kind: 'server', message: cut(JSON.stringify(value)) } : undefined;
}

function fromError(error: JsonObject, fallback: FailureKind): UpstreamFailure {
  const message = typeof error['message'] === 'string' ? cut(error['message']) : cut(JSON.stringify(error));
  const type = typeof error['type'] === 'string' ? error['type'] : undefined;
  const kind = (type === undefined ? undefined : KIND_OF_TYPE[type]) ?? fallback;
  return { kind, message, ...(type !== undefined && { code: type }), ...(kind === 'client-fault' && refine(message)) };
}

/** Errors with a client's status that are not the client's fault, or that have numbers coding agents act on. */
function refine(message: string): Partial<UpstreamFailure> {
  const tooLong = /prompt is too long(?::\s*(\d+)\s*tokens?\s*>\s*(\d+)\s*maximum)?/i.exec(message);
  if (tooLong) {
    const [, tokens, maximum] = tooLong;
    const numbers = tokens && maximum ? { tooLong: { tokens: Number(tokens), maximum: Number(maximum) } } : {};
    return { kind: 'context-too-long', ...numbers };
  }
  if (/exceed.{0,20}context (?:limit|window)/i.test(message)) return { kind: 'context-too-long' };
  // An empty account at the provider is reported as 400; another route can still answer.
  if (/credit balance is too low/i.test(message)) return { kind: 'credential' };
  const param = /^(messages|tools|tool_choice|max_tokens|temperature|top_p|top_k)\b/.exec(message)?.[1];
  return param === undefined ? {} : { param };
}

function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403) return 'credential';
  if (status === 404) return 'model-gone';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate-limited';
  // A conflict (409) or "too early" (425) is about the provider's own state, not about what the client wrote.
  if (status === 409 || status === 425) return 'server';
  return status >= 400 && status < 500 ? 'client-fault' : 'server';
}

function cut(text: string): string {
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
}
