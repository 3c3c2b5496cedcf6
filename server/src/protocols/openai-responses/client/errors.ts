/** Our own errors in this protocol: over HTTP in the shape of the chat protocol, inside a stream as `response.failed`. */

import type { ErrorCode } from '@dargah/core/error-registry.ts';
import type { GatewayError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ClientView } from '../../protocol.ts';
import type { EventWriter } from './event-writer.ts';
import { responseObject } from './response-object.ts';

export { encodeError } from '../../openai-chat/client/errors.ts';

/** The words on which clients of this protocol act; all others are a failure of the server to them. */
const STREAM_CODES: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'invalid_prompt',
  insufficient_balance: 'insufficient_quota',
  spend_cap_reached: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  overloaded: 'server_is_overloaded',
};

export function failedResponse(error: GatewayError, view: ClientView, output: JsonObject[]): JsonObject {
  const { detail, param, retryAfterMs } = error.options;
  const tooLong = detail?.['reason'] === 'context_length_exceeded';
  const code = tooLong ? 'context_length_exceeded' : (STREAM_CODES[error.code] ?? 'server_error');
  const message = error.text(view.language);
  return responseObject(view, {
    status: 'failed',
    output,
    error: {
      ...detail,
      code,
      // Coding agents read the delay out of the English sentence.
      message: retryAfterMs === undefined ? message : `${message} Please try again in ${retryAfterMs / 1000}s.`,
      svc_code: error.code,
      ...(param !== undefined && { param }),
    },
  });
}

/**
 * The error stands beside the response too: the official library throws for an event that has one, and programs on top
 * of it (LangChain among them) would otherwise take the half answer for a whole one.
 */
export function writeFailed(write: EventWriter, response: JsonObject): string {
  return write.write('response.failed', { response, error: response['error'] ?? null });
}
