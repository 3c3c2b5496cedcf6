/** Google's errors: `{error: {code, message, status, details}}`, alone or in an array, as an answer or inside a stream. */
import type { FailureKind, UpstreamFailure } from '../../../core/failure.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../../core/json.ts';
import { retryAfterMs } from '../../retry-after.ts';

const MAX_MESSAGE_CHARS = 2000;

const KIND_BY_STATUS: Record<string, FailureKind> = {
  UNAUTHENTICATED: 'credential',
  PERMISSION_DENIED: 'credential',
  // Billing is off, or the region is not served: this account cannot be used, another may.
  FAILED_PRECONDITION: 'credential',
  NOT_FOUND: 'model-gone',
  RESOURCE_EXHAUSTED: 'rate-limited',
  DEADLINE_EXCEEDED: 'timeout',
  CANCELLED: 'server',
  UNAVAILABLE: 'server',
  INTERNAL: 'server',
  UNKNOWN: 'server',
  ABORTED: 'server',
  INVALID_ARGUMENT: 'client-fault',
  OUT_OF_RANGE: 'client-fault',
};

export function decodeFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure {
  const error = errorIn(parseTrustedJson(text));
  if (error) return failureOf(error, status, headers);
  const wait = retryAfterMs(headers, '');
  return {
    kind: kindByHttp(status),
    status,
    message: text.slice(0, MAX_MESSAGE_CHARS),
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** The error object of a body or frame, if it is one. Without `alt=sse` it comes wrapped in an array. */
export function errorIn(body: Json | undefined): JsonObject | undefined {
  const first = Array.isArray(body) ? body[0] : body;
  if (!isJsonObject(first)) return undefined;
  const { error } = first;
  if (typeof error === 'string') return { message: error };
  return isJsonObject(error) ? error : undefined;
}

/** `httpStatus` is undefined inside a stream, which began with 200: the error's own code counts then. */
export function failureOf(
  error: JsonObject,
  httpStatus?: number,
  headers: Record<string, string> = {},
): UpstreamFailure {
  const message = (typeof error['message'] === 'string' ? error['message'] : '').slice(0, MAX_MESSAGE_CHARS);
  const status = httpStatus ?? (typeof error['code'] === 'number' ? error['code'] : undefined);
  const word = typeof error['status'] === 'string' ? error['status'] : undefined;
  const details = Array.isArray(error['details']) ? error['details'].filter(isJsonObject) : [];
  const tooLong = readTooLong(message);
  const kind = tooLong ? 'context-too-long' : kindOf(status, word, details, message);
  const wait = kind === 'rate-limited' || kind === 'server' ? retryMs(details, message, headers) : undefined;
  return {
    kind,
    message,
    ...(status !== undefined && { status }),
    ...(word !== undefined && { code: word }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(tooLong && { tooLong }),
  };
}

function kindOf(
  status: number | undefined,
  word: string | undefined,
  details: JsonObject[],
  message: string,
): FailureKind {
  // A bad key is a 400 INVALID_ARGUMENT: only the reason shows that the client is not to blame.
  if (details.some((detail) => String(detail['reason']).startsWith('API_KEY_')) || /\bAPI key\b/i.test(message)) {
    return 'credential';
  }
  const byWord = word === undefined ? undefined : KIND_BY_STATUS[word];
  return byWord ?? (status === undefined ? 'server' : kindByHttp(status));
}

function kindByHttp(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403) return 'credential';
  if (status === 404) return 'model-gone';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate-limited';
  // A conflict (409) or "too early" (425) is about the provider's own state, not about what the client wrote.
  if (status >= 500 || status === 409 || status === 425) return 'server';
  return status >= 400 ? 'client-fault' : 'malformed';
}

const TOO_LONG = [
  /input token count(?: \((\d+)\))? exceeds the maximum number of tokens allowed(?: \(?(\d+)\)?)?/i,
  /input token count is (\d+) but (?:the )?model only supports up to (\d+)/i,
];

function readTooLong(message: string): UpstreamFailure['tooLong'] {
  for (const pattern of TOO_LONG) {
    const found = pattern.exec(message);
    if (!found) continue;
    return {
      ...(found[1] !== undefined && { tokens: Number(found[1]) }),
      ...(found[2] !== undefined && { maximum: Number(found[2]) }),
    };
  }
  return undefined;
}

/** Reads Google's own detail first, then the texts and headers that all providers use. */
function retryMs(details: JsonObject[], message: string, headers: Record<string, string>): number | undefined {
  for (const { retryDelay } of details) {
    const seconds = typeof retryDelay === 'string' ? /^([\d.]+)s$/.exec(retryDelay)?.[1] : undefined;
    if (seconds !== undefined) return retryAfterMs({ 'retry-after': seconds }, '');
  }
  return retryAfterMs(headers, message);
}
