/** Classifies a provider's refusal by its status, its code and, where those say nothing, its text. */
import type { FailureKind } from '../core/failure.ts';

export interface ProviderError {
  /** HTTP status, or the number some providers write into the body of a 200. */
  status?: number;
  code?: string;
  type?: string;
  message: string;
}

const TOO_LONG =
  /context.{0,20}(length|window|limit|size)|prompt (is )?too long|too many (input )?tokens|(input|prompt|message).{0,40}(exceeds?|too long|longer than).{0,60}(token|context|length)|exceeds?.{0,40}(maximum|max).{0,20}(tokens|context)/i;
const NO_MONEY = /insufficient.{0,10}(balance|credit|fund|quota)|credit balance|out of credits|billing (hard )?limit/i;
const BAD_KEY = /api key not valid|invalid api.?key|incorrect api key|api_key_invalid|no auth credentials/i;
const NO_MODEL =
  /model.{0,80}(not (found|exist|available)|does not exist|is not a valid model|unknown model|no longer|decommissioned|deprecated)|(unknown|invalid|no such|not a valid) model|no endpoints found|no allowed providers/i;
const MODERATED = /moderation|flagged|content.?policy/i;
/** The unreadable text came from the model, not from the client; another route may do better. */
const MODEL_SLIPPED = /^(tool_use_failed|json_validate_failed)$/;

const CREDENTIAL_CODES =
  /insufficient_quota|insufficient_balance|billing|invalid_api_key|authentication|permission_denied|unauthorized/i;

export function failureKind(error: ProviderError): FailureKind {
  const { status, message } = error;
  const words = `${error.code ?? ''} ${error.type ?? ''}`;
  if (isTooLong(error, words)) return 'context-too-long';
  if (MODEL_SLIPPED.test(error.code ?? '')) return 'malformed';
  if (CREDENTIAL_CODES.test(words) || NO_MONEY.test(message)) return 'credential';
  if (/model_not_found|model_not_available/.test(words)) return 'model-gone';
  if (status === 400 || status === 422) {
    if (BAD_KEY.test(message)) return 'credential';
    return NO_MODEL.test(message) ? 'model-gone' : 'client-fault';
  }
  if (status === 403 && MODERATED.test(message)) return 'client-fault';
  return status === undefined ? kindOfWords(words, message) : kindOfStatus(status);
}

/** Says of a refused credential that it is valid but its account has no money. */
export function saysNoBalance({ status, code, message }: { status?: number; code?: string; message: string }): boolean {
  return status === 402 || /insufficient_(quota|balance)|billing/i.test(code ?? '') || NO_MONEY.test(message);
}

function isTooLong({ status, message }: ProviderError, words: string): boolean {
  if (/context_length_exceeded|context_window_exceeded|exceed_context_size/i.test(words)) return true;
  // A 429 "too many tokens per minute" speaks of a rate, not of the prompt.
  return (status === undefined || status === 400 || status === 413 || status === 422) && TOO_LONG.test(message);
}

function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 402 || status === 403) return 'credential';
  if (status === 404 || status === 410) return 'model-gone';
  if (status === 408 || status === 504 || status === 524) return 'timeout';
  if (status === 429) return 'rate-limited';
  // A conflict (409) or "too early" (425) is about the provider's own state, not about what the client wrote.
  if (status === 409 || status === 425) return 'server';
  return status >= 500 || status < 400 ? 'server' : 'client-fault';
}

/** An error inside a 200 often has no number at all. */
function kindOfWords(words: string, message: string): FailureKind {
  if (/rate.?limit|too_many_requests|resource_exhausted/i.test(words)) return 'rate-limited';
  if (/timeout/i.test(words)) return 'timeout';
  if (/not_found/i.test(words) || NO_MODEL.test(message)) return 'model-gone';
  if (/invalid_request|bad_request|unprocessable|invalid_argument/i.test(words)) return 'client-fault';
  return 'server';
}

/** The two numbers of "maximum context length is M tokens … you requested N tokens" and its relatives. */
export function tooLongNumbers(message: string): { tokens?: number; maximum?: number } {
  const compared = /(\d[\d,]{0,14}) tokens? > (\d[\d,]{0,14})/.exec(message);
  if (compared) return { tokens: wholeNumber(compared[1]), maximum: wholeNumber(compared[2]) };
  const maximum =
    /(?:maximum|max|limit)[^\d.]{0,60}?(\d[\d,]{0,14})|(\d[\d,]{0,14})[- ]tokens? (?:maximum|limit)/i.exec(message);
  const tokens = /(?:requested|resulted in|contains?|has|got|provided|input of)[^\d.]{0,40}?(\d[\d,]{0,14})/i.exec(
    message,
  );
  return {
    ...(tokens && { tokens: wholeNumber(tokens[1]) }),
    ...(maximum && { maximum: wholeNumber(maximum[1] ?? maximum[2]) }),
  };
}

function wholeNumber(text: string | undefined): number {
  return Number((text ?? '0').replaceAll(',', ''));
}
