/** A whole answer is read as a stream of one frame, then folded. */
import type { ChatResponse } from '../../../core/chat.ts';
import type { UpstreamFailure } from '../../../core/failure.ts';
import type { Json } from '../../../core/json.ts';
import { EventFold } from '../../fold.ts';
import { AnswerDecoder } from './decode-stream.ts';

export function decodeResponse(body: Json): ChatResponse | UpstreamFailure {
  const decoder = new AnswerDecoder();
  const fold = new EventFold();
  decoder.pushBody(body, (event) => fold.push(event));
  if (fold.failure) return fold.failure;
  if (!decoder.hasAnswer) return { kind: 'empty', message: 'an answer without candidates' };
  decoder.close((event) => fold.push(event));
  return fold.response();
}
