/** Raw bytes → one JSON object, or a refusal that says what is wrong. */
import { isUtf8 } from 'node:buffer';
import { type GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type JsonObject, JsonRefused, MAX_JSON_DEPTH, parseJson } from '../../core/json.ts';
import { MAX_JSON_KEYS, tooMuchJson } from '../../core/json-size.ts';
import { reasons } from '../../core/reasons.ts';
import type { Call } from '../call.ts';
import { LARGE_BODY_BYTES } from './large-body.ts';

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** Only after the caller is known: what is wrong with a body is nobody else's business. */
export function readJsonBody({ body, contentType }: Pick<Call, 'body' | 'contentType'>): JsonObject {
  if (contentType === undefined || !JSON_TYPE.test(contentType)) {
    throw invalidRequest('Content-Type', reasons.mustBe('Content-Type', expected.exactly('application/json')));
  }
  if (body.length === 0) {
    throw invalidRequest(undefined, reasons.custom('بدنهٔ درخواست خالی است.', 'The request body is empty.'));
  }
  // Decoding would replace broken bytes silently and the model would read something the client never sent.
  if (!isUtf8(body)) {
    throw invalidRequest(undefined, reasons.custom('بدنه با UTF-8 نوشته نشده است.', 'The body is not valid UTF-8.'));
  }
  const value = parse(body);
  if (!isJsonObject(value)) {
    throw invalidRequest(undefined, reasons.custom('بدنه باید یک شیء JSON باشد.', 'The body must be a JSON object.'));
  }
  return value;
}

function parse(body: Uint8Array): unknown {
  const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (buffer.length > LARGE_BODY_BYTES) {
    const fault = tooMuchJson(buffer, MAX_JSON_DEPTH);
    if (fault) throw refusal(new JsonRefused(fault, 'too much to parse'));
  }
  try {
    return parseJson(buffer.toString('utf8'));
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw refusal(error);
  }
}

function refusal(error: JsonRefused): GatewayError {
  switch (error.reason) {
    case 'depth':
      return invalidRequest(
        undefined,
        reasons.custom(
          `بدنه بیش از ${MAX_JSON_DEPTH} لایه تو در تو است.`,
          `The body is nested deeper than ${MAX_JSON_DEPTH} levels.`,
        ),
      );
    case 'size':
      return invalidRequest(
        undefined,
        reasons.custom(
          `بدنه بیش از ${MAX_JSON_KEYS} فیلد دارد.`,
          `The body has more than ${MAX_JSON_KEYS} fields, or too many items.`,
        ),
        { status: 413 },
      );
    case 'forbidden-key':
      return invalidRequest(
        '__proto__',
        reasons.custom('کلید «__proto__» مجاز نیست.', 'The key __proto__ is not allowed.'),
      );
    case 'syntax':
      return invalidRequest(undefined, reasons.custom('بدنه JSON معتبر نیست.', 'The body is not valid JSON.'));
  }
}
