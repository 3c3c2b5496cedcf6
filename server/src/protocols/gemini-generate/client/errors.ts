/** Our own errors in Google's envelope. SDKs read `code`, `status` and `message`; our stable code stands in ErrorInfo. */
import type { GatewayError } from '../../../core/errors.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { ErrorView } from '../../protocol.ts';
import { geminiFrame } from './gemini-frame.ts';

const DOMAIN = 'dargah';
const TYPES = 'type.googleapis.com/google.rpc.';

/** Google's status name for each HTTP status of our errors. */
const STATUS_NAMES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  410: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Fields of the canonical request under the names of this protocol. */
const NAMES: [RegExp, string][] = [
  [/^messages\.\d{1,9}\.content$/, 'contents'],
  [/^response_format$/, 'generationConfig.responseSchema'],
  [/^n$/, 'generationConfig.candidateCount'],
  [/^max_tokens$/, 'generationConfig.maxOutputTokens'],
];

function googleStatus(status: number): string {
  return STATUS_NAMES[status] ?? (status < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL');
}

export function encodeError(error: GatewayError, view: ErrorView): JsonObject {
  const { status } = error;
  const message = error.text(view.language);
  return { error: { code: status, message, status: googleStatus(status), details: detailsOf(error, message, view) } };
}

function detailsOf(error: GatewayError, message: string, { requestId, remedyUrl }: ErrorView): JsonObject[] {
  const { detail, retryAfterMs } = error.options;
  const field = fieldOf(error.options.param);
  const metadata: JsonObject = { ...textsOf(detail), request_id: requestId };
  if (field !== undefined) metadata['param'] = field;
  if (remedyUrl !== undefined) metadata['remedy_url'] = remedyUrl;
  const details: JsonObject[] = [{ '@type': `${TYPES}ErrorInfo`, reason: error.code, domain: DOMAIN, metadata }];
  if (field !== undefined) {
    const fieldViolations = [{ field, description: message }];
    details.push({ '@type': `${TYPES}BadRequest`, fieldViolations });
  }
  if (retryAfterMs !== undefined) {
    details.push({ '@type': `${TYPES}RetryInfo`, retryDelay: `${retryAfterMs / 1_000}s` });
  }
  if (remedyUrl !== undefined) {
    details.push({ '@type': `${TYPES}Help`, links: [{ description: message, url: remedyUrl }] });
  }
  return details;
}

function fieldOf(param: string | undefined): string | undefined {
  return param === undefined ? undefined : (NAMES.find(([pattern]) => pattern.test(param))?.[1] ?? param);
}

/** Every value of this map is text. */
function textsOf(detail: Record<string, Json> | undefined): JsonObject {
  const texts: JsonObject = {};
  for (const [name, value] of Object.entries(detail ?? {}))
    texts[name] = typeof value === 'string' ? value : JSON.stringify(value);
  return texts;
}

export function errorFrame(error: GatewayError, view: ErrorView): string {
  return geminiFrame(encodeError(error, view));
}
