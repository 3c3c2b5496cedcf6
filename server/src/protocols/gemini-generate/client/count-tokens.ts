/** `:countTokens` takes contents alone, or a whole request under its own name. The gateway counts. */
import type { ChatRequest } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import { asObject, optional } from '../../read-fields.ts';
import { type AskedByAddress, decodeRequest } from './decode-request.ts';
import { wireFields } from './wire-names.ts';

export function decodeCount(body: JsonObject, asked: AskedByAddress): ChatRequest {
  const { generateContentRequest, ...rest } = wireFields(body);
  const request = optional(generateContentRequest, 'generateContentRequest', asObject);
  return decodeRequest(request ?? rest, asked);
}

export function encodeCount(totalTokens: number): JsonObject {
  return { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] };
}
