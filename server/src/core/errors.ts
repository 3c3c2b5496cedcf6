/**
 * A refusal or failure as the gateway raises it. Public text and internal cause never share a field: `cause` goes to the log,
 * the texts go to the client.
 */
import { ERRORS, type ErrorCode } from '@dargah/core/error-registry.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import type { Json } from './json.ts';

export interface ErrorOptions {
  /** The request field at fault, in dotted form: `messages.0.content`. */
  param?: string;
  /** A sentence about this case, put after the registry's text. */
  reason?: Text;
  /** Machine detail for the body: `missing_toman`, `resets_at`, … */
  detail?: Record<string, Json>;
  /** Anthropic messages only: fields of `error.details` by which its SDKs tell this case from others. */
  vendorDetails?: Record<string, Json>;
  /** Whether a rule of the key or of the account refused; the remedy's page follows from it. */
  ruleOf?: 'key' | 'account';
  /** Replaces the registry's text where that would be wrong. */
  instead?: Text;
  /** Overrides the registry's retry advice where a retry cannot succeed. */
  shouldRetry?: boolean;
  /** Another status for the same code: 413 for a body that is too large. */
  status?: number;
  /** Rounded up to whole milliseconds. */
  retryAfterMs?: number;
  /** Text a client must see untranslated ("prompt is too long: …", which coding agents act on). */
  verbatim?: string;
  /** For the log only. */
  cause?: unknown;
}

export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly options: ErrorOptions;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    super(options.param ? `${code} (${options.param})` : code, { cause: options.cause });
    this.code = code;
    // Rounded up, because clients read the wait as an integer.
    const { retryAfterMs } = options;
    this.options = Number.isInteger(retryAfterMs ?? 0)
      ? options
      : { ...options, retryAfterMs: Math.ceil(retryAfterMs ?? 0) };
  }

  get status(): number {
    return this.options.status ?? ERRORS[this.code].status;
  }

  get shouldRetry(): boolean {
    return this.options.shouldRetry ?? ERRORS[this.code].shouldRetry;
  }

  text(language: Language): string {
    const { verbatim, reason, instead } = this.options;
    if (verbatim) return verbatim;
    const text = (instead ?? ERRORS[this.code].text)[language];
    return reason ? `${text} ${reason[language]}` : text;
  }
}

/** The most common refusal: a field of the request is invalid. */
export function invalidRequest(param: string | undefined, reason: Text, options: ErrorOptions = {}): GatewayError {
  return new GatewayError('invalid_request', { ...options, reason, ...(param === undefined ? {} : { param }) });
}

/** Any other error becomes an internal error that keeps it as its cause. */
export function asGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : new GatewayError('internal_error', { cause: error });
}
