/** Our own errors in this protocol: over HTTP in the shape of the chat protocol, inside a stream as `response.failed`. */

import type { ErrorCode } from '@dargah/core/error-registry.ts';
import type { Language } from '@dargah/core/text.ts';
import type { GatewayError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ClientView } from '../../protocol.ts';
import type { EventWriter } from './event-writer.ts';
import { responseObject } from './response-object.ts';

export { encodeError } from '../../openai-chat/client/errors.ts';

/** Error codes on which clients of this protocol act; they take all others for a server error. */
const STREAM_CODES: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'invalid_prompt',
  insufficient_balance: 'insufficient_quota',
  spend_cap_reached: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  overloaded: 'server_is_overloaded',
};

export function failedResponse(error: GatewayError, view: ClientView, output: JsonObject[]): JsonObject {
  return responseObject(view, { status: 'failed', output, error: failureOf(error, view.language) });
}

/** `otherwise` is the code for errors that have none of their own. */
function failureOf(error: GatewayError, language: Language, otherwise = 'server_error'): JsonObject {
  const { detail, param, retryAfterMs } = error.options;
  const tooLong = detail?.['reason'] === 'context_length_exceeded';
  const code = tooLong ? 'context_length_exceeded' : (STREAM_CODES[error.code] ?? otherwise);
  const message = error.text(language);
  return {
    ...detail,
    code,
    // Coding agents read the delay out of the English sentence.
    message: retryAfterMs === undefined ? message : `${message} Please try again in ${retryAfterMs / 1000}s.`,
    svc_code: error.code,
    ...(param !== undefined && { param }),
  };
}

/**
 * A message on a socket that was refused for good. Agents connect again and again after an error event with such a status; after this
 * event they stop at once and show the sentence (`invalid_prompt`) or their own about the quota (`insufficient_quota`).
 */
export function refusedOnSocket(error: GatewayError, id: string, created: number, language: Language): JsonObject {
  const failure = failureOf(error, language, 'invalid_prompt');
  const response = { id, object: 'response', created_at: created, status: 'failed', error: failure, output: [] };
  return { type: 'response.failed', sequence_number: 0, response, error: failure };
}

/**
 * The error stands beside the response too: the official library throws for an event that has one, and programs on top
 * of it (LangChain among them) would otherwise take the half answer for a whole one.
 */
export function writeFailed(write: EventWriter, response: JsonObject): string {
  return write.write('response.failed', { response, error: response['error'] ?? null });
}
