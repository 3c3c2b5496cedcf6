/**
 * A conversation may have been held with a Gemini model before, whose signatures ride in the ids of its calls. No other
 * provider has use for them, and some refuse an id of that length.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { splitToolSignature } from '../../tool-signature.ts';

export function withoutSignatures(message: JsonObject): JsonObject {
  const { tool_call_id: answered, tool_calls: calls } = message;
  if (typeof answered === 'string') {
    const { id } = splitToolSignature(answered);
    return id === answered ? message : { ...message, tool_call_id: id };
  }
  if (!Array.isArray(calls) || !calls.some(isSigned)) return message;
  return { ...message, tool_calls: calls.map(unsigned) };
}

function isSigned(call: Json): boolean {
  return isJsonObject(call) && typeof call['id'] === 'string' && splitToolSignature(call['id']).signature !== undefined;
}

function unsigned(call: Json): Json {
  if (!isJsonObject(call) || typeof call['id'] !== 'string') return call;
  return { ...call, id: splitToolSignature(call['id']).id };
}
