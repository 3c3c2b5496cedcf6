/** `POST /messages/count_tokens`: answered here, free, with system, tools and images counted. Never part of a route's health. */

import { type Answer, jsonAnswer } from '../../core/answer.ts';
import type { ChatRequest } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import { countInput } from '../admit/estimate.ts';
import { admitFree } from '../admit/free.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { resolveModel } from '../admit/resolve.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';

export async function answerCountTokens(
  call: Call,
  decode: (body: JsonObject) => ChatRequest,
  gw: Gateway,
): Promise<Answer> {
  const key = await admitFree(call, gw);
  const request = decode(readJsonBody(call));
  resolveModel(request.model, key, gw.catalog.current(), 'chat');
  return jsonAnswer({ input_tokens: countInput(request).likely });
}
