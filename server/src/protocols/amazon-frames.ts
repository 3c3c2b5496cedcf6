/**
 * A message of Amazon's streams as the server-sent event that our decoders read. What a model says in its own protocol comes wrapped
 * in base64 and goes on as it is; events of Converse keep their name; an exception becomes an error that every decoder knows.
 */
import type { FailureKind } from '../core/failure.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../core/json.ts';
import type { AmazonMessage } from './amazon-event-stream.ts';
import { awsException } from './aws-failure.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The error types of the messages protocol. */
const ERROR_TYPES: Partial<Record<FailureKind, string>> = {
  'client-fault': 'invalid_request_error',
  'context-too-long': 'invalid_request_error',
  credential: 'authentication_error',
  'model-gone': 'not_found_error',
  'rate-limited': 'rate_limit_error',
  timeout: 'timeout_error',
};
export const EXCEPTION_EVENT = 'exception';

export function amazonFrame({ headers, payload }: AmazonMessage): string {
  const text = utf8.decode(payload);
  const kind = headers.get(':message-type');
  if (kind !== undefined && kind !== 'event') {
    const type = headers.get(':exception-type') ?? headers.get(':error-code');
    const message = headers.get(':error-message');
    return exceptionFrame(type, message === undefined ? parseTrustedJson(text) : { message });
  }
  const event = headers.get(':event-type') ?? '';
  if (event !== 'chunk') return `event: ${event.replace(/[\r\n]/g, '')}\ndata: ${oneLine(text)}\n\n`;
  const wrapped = parseTrustedJson(text);
  const bytes = isJsonObject(wrapped) ? wrapped['bytes'] : undefined;
  return typeof bytes === 'string' ? `data: ${oneLine(Buffer.from(bytes, 'base64').toString())}\n\n` : '';
}

function exceptionFrame(type: string | undefined, body: ReturnType<typeof parseTrustedJson>): string {
  const { kind, message } = awsException(type, body);
  const error: JsonObject = { type: ERROR_TYPES[kind] ?? 'api_error', message };
  return `event: ${EXCEPTION_EVENT}\ndata: ${JSON.stringify({ type: 'error', exception: type ?? null, error })}\n\n`;
}

/** JSON strings contain no raw line breaks, so nothing is lost. */
function oneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]/g, ' ') : json;
}
