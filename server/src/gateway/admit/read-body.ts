/** Parses the raw bytes into one JSON object, or refuses them with the reason. */

import { isUtf8 } from 'node:buffer';
import { type GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type JsonObject, JsonRefused, MAX_JSON_DEPTH, parseJson } from '../../core/json.ts';
import { MAX_JSON_KEYS, tooMuchJson } from '../../core/json-size.ts';
import { reasons } from '../../core/reasons.ts';
import type { Call } from '../call.ts';
import { parseAroundLiterals } from '../json-literals.ts';
import { gatewayReasons } from '../reasons.ts';
import { LARGE_BODY_BYTES } from './large-body.ts';

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** Called only once the caller is known: what is wrong with a body is nobody else's business. */
export function readJsonBody(call: Pick<Call, 'body' | 'contentType' | 'literals'>): JsonObject {
  const { body, contentType } = call;
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    throw invalidRequest('Content-Type', reasons.mustBe('Content-Type', expected.exactly('application/json')));
  }
  if (body.length === 0) {
    throw invalidRequest(undefined, gatewayReasons.emptyBody);
  }
  // Decoding would silently replace broken bytes, and the model would read something the client never sent.
  if (!isUtf8(body)) {
    throw invalidRequest(undefined, gatewayReasons.bodyNotUtf8);
  }
  const value = parse(call);
  if (!isJsonObject(value)) {
    throw invalidRequest(undefined, gatewayReasons.bodyNoObject);
  }
  return value;
}

function parse(call: Pick<Call, 'body' | 'literals'>): unknown {
  const { body } = call;
  const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (buffer.length > LARGE_BODY_BYTES) {
    const fault = tooMuchJson(buffer, MAX_JSON_DEPTH);
    if (fault) throw refusal(new JsonRefused(fault, 'too much to parse'));
  }
  try {
    const parsed = parseAroundLiterals(buffer);
    if (!parsed) return parseJson(buffer.toString('utf8'));
    call.literals = parsed.literals;
    return parsed.value;
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw refusal(error);
  }
}

function refusal(error: JsonRefused): GatewayError {
  switch (error.reason) {
    case 'depth':
      return invalidRequest(undefined, gatewayReasons.nestedTooDeep(MAX_JSON_DEPTH));
    case 'size':
      return invalidRequest(undefined, gatewayReasons.tooManyFields(MAX_JSON_KEYS), { status: 413 });
    case 'forbidden-key':
      return invalidRequest('__proto__', gatewayReasons.protoKey);
    case 'syntax':
      return invalidRequest(undefined, gatewayReasons.bodyNoJson);
  }
}
