/** Reads Amazon's errors: the type stands in a header or beside an event, and the body holds only a sentence. */
import type { FailureKind, UpstreamFailure } from '../core/failure.ts';
import { isJsonObject, type Json, parseTrustedJson } from '../core/json.ts';
import { retryAfterMs } from './retry-after.ts';

const MAX_MESSAGE_CHARS = 2000;
const TYPE_HEADER = 'x-amzn-errortype';

/**
 * The names are in lower case and without their ending: HTTP says `ThrottlingException`, streams say
 * `throttlingException`.
 */
const KINDS: Record<string, FailureKind> = {
  throttling: 'rate-limited',
  toomanyrequests: 'rate-limited',
  modelnotready: 'rate-limited',
  // These come as 400, but the operator's quota is used up.
  servicequotaexceeded: 'rate-limited',
  validation: 'client-fault',
  accessdenied: 'credential',
  unrecognizedclient: 'credential',
  invalidclienttokenid: 'credential',
  invalidsignature: 'credential',
  signaturedoesnotmatch: 'credential',
  incompletesignature: 'credential',
  missingauthenticationtoken: 'credential',
  expiredtoken: 'credential',
  requestexpired: 'credential',
  resourcenotfound: 'model-gone',
  modeltimeout: 'timeout',
  modelerror: 'server',
  modelstreamerror: 'server',
  internalserver: 'server',
  serviceunavailable: 'server',
  conflict: 'server',
};

const TOO_LONG =
  /input is too long|prompt is too long(?:: {0,3}(\d{1,12}) tokens? > (\d{1,12}) maximum)?|too many input tokens/i;
/** These are reported as faults of the request, but each means that this route cannot serve the model. */
const NO_MODEL =
  /model identifier is invalid|don't have access to the model|on-demand throughput isn.t supported|end of its life|isn't supported on this route|marked by provider as legacy/i;
const CLOCK = /signature expired|signature not yet current|request has expired|not yet valid/i;

export function isAwsFailure(headers: Record<string, string>): boolean {
  return headers[TYPE_HEADER] !== undefined || headers['x-amzn-requestid'] !== undefined;
}

export function awsFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure {
  const body = parseTrustedJson(text);
  const fields = isJsonObject(body) ? body : {};
  const type = errorName(headers[TYPE_HEADER] ?? fields['__type'] ?? fields['code']);
  const message = fields['message'] ?? fields['Message'];
  const wait = retryAfterMs(headers, '');
  return {
    ...failureOf(type, typeof message === 'string' ? message : text, kindOfStatus(status)),
    status,
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** Reads an exception that comes in the middle of a stream. */
export function awsException(type: string | undefined, payload: Json | undefined): UpstreamFailure {
  const message = isJsonObject(payload) ? payload['message'] : undefined;
  return failureOf(errorName(type), typeof message === 'string' ? message : 'the provider broke off', 'server');
}

function failureOf(type: string | undefined, text: string, usual: FailureKind): UpstreamFailure {
  const message = text.slice(0, MAX_MESSAGE_CHARS);
  const kind = (type === undefined ? undefined : KINDS[withoutEnding(type)]) ?? usual;
  const code = type === undefined ? {} : { code: type };
  const tooLong = kind === 'client-fault' ? TOO_LONG.exec(message) : null;
  if (tooLong) return { kind: 'context-too-long', message, ...code, ...numbersOf(tooLong) };
  if ((kind === 'client-fault' || kind === 'credential') && NO_MODEL.test(message))
    return { kind: 'model-gone', message, ...code };
  if (kind === 'credential' && CLOCK.test(message))
    return {
      kind,
      message: `The clock of this machine is wrong, set it right (NTP). Amazon: ${message}`,
      code: 'clock_skew',
    };
  return { kind, message, ...code };
}

function numbersOf([, tokens, maximum]: RegExpExecArray): Pick<UpstreamFailure, 'tooLong'> {
  return tokens && maximum ? { tooLong: { tokens: Number(tokens), maximum: Number(maximum) } } : {};
}

/**
 * Reduces `ValidationException:http://internal.amazon.com/…` and `com.amazon#ValidationException` to the plain name.
 */
function errorName(type: Json | undefined): string | undefined {
  if (typeof type !== 'string') return undefined;
  const word = type
    .slice(type.lastIndexOf('#') + 1)
    .split(':')[0]
    ?.trim();
  return word ? word.slice(0, 100) : undefined;
}

function withoutEnding(type: string): string {
  return type.toLowerCase().replace(/(?:exception|error)$/, '');
}

function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'credential';
  if (status === 404) return 'model-gone';
  if (status === 408 || status === 504) return 'timeout';
  if (status === 429) return 'rate-limited';
  return status >= 500 || status === 424 ? 'server' : 'client-fault';
}
