/** `POST /v1/messages/count_tokens`: takes the same body without a limit and answers with one number. The gateway counts. */
import type { ChatRequest } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import { decodeWithoutLimit } from './decode-request.ts';

/** Throws GatewayError invalid_request naming the `param`. Nothing is generated, so `max_tokens` may be missing. */
export function decodeCountTokensRequest(body: JsonObject): ChatRequest {
  return decodeWithoutLimit(body);
}

export function encodeTokenCount(inputTokens: number): JsonObject {
  return { input_tokens: inputTokens };
}
