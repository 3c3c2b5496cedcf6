/**
 * A whole answer is what the stream of its events would have ended with. One path makes both, so they cannot differ.
 */
import type { ChatResponse } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView } from '../../protocol.ts';
import { unfoldResponse } from '../../unfold.ts';
import { ResponsesStreamEncoder } from './encode-stream.ts';

export function encodeResponse(response: ChatResponse, view: ClientView, closing: AnswerClosing): JsonObject {
  const encoder = new ResponsesStreamEncoder(view);
  for (const event of unfoldResponse(response)) encoder.encode(event);
  return encoder.response(closing);
}
