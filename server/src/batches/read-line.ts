/** Reads a line of a batch in both dialects. The endpoint checks the body when the line runs. */
import { isUtf8 } from 'node:buffer';
import type { Text } from '@dargah/core/text.ts';
import { refuseBrokenText } from '../core/broken-text.ts';
import { GatewayError } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/json.ts';
import { MAX_JSON_KEYS, tooMuchJson } from '../core/json-size.ts';
import { reasons } from '../core/reasons.ts';
import { batchReasons } from './reasons.ts';

export type BatchDialect = 'openai' | 'anthropic';

export interface LineFault {
  code: string;
  message: Text;
  param: string | null;
}

export interface LineRequest {
  customId: string;
  body: JsonObject;
}

const MAX_CUSTOM_ID = 256;
const MAX_DEPTH = 66;

export class LineRefused extends Error {
  readonly fault: LineFault;

  constructor(code: string, message: Text, param: string | null = null) {
    super(code);
    this.fault = { code, message, param };
  }
}

/** Throws LineRefused. */
export function readBatchLine(bytes: Buffer, dialect: BatchDialect, endpoint: string): LineRequest {
  const line = parsed(bytes);
  const customId = customIdOf(line['custom_id']);
  const field = dialect === 'openai' ? 'body' : 'params';
  if (dialect === 'openai') checkAddress(line, endpoint);
  const body = line[field];
  if (!isJsonObject(body)) throw new LineRefused('invalid_request', reasons.mustBe(field, expected.object), field);
  for (const name of ['stream', 'background'])
    if (body[name] === true) throw new LineRefused('invalid_request', batchReasons.noStreams, `${field}.${name}`);
  return { customId, body };
}

function parsed(bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw new LineRefused('invalid_json_line', batchReasons.lineNotUtf8);
  if (tooMuchJson(bytes, MAX_DEPTH)) throw new LineRefused('invalid_json_line', reasons.tooLong('line', MAX_JSON_KEYS));
  let value: Json;
  try {
    value = parseJson(bytes.toString('utf8'));
  } catch {
    throw new LineRefused('invalid_json_line', batchReasons.lineNoJson);
  }
  if (!isJsonObject(value)) throw new LineRefused('invalid_json_line', batchReasons.lineNoJson);
  return value;
}

function customIdOf(value: Json | undefined): string {
  const name = 'custom_id';
  if (typeof value !== 'string' || value === '' || value.length > MAX_CUSTOM_ID)
    throw new LineRefused('invalid_custom_id', reasons.mustBe(name, expected.textBetween(1, MAX_CUSTOM_ID)), name);
  try {
    refuseBrokenText(value, name);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new LineRefused('invalid_custom_id', reasons.brokenText(name), name);
  }
  return value;
}

function checkAddress({ method, url }: JsonObject, endpoint: string): void {
  if (method !== 'POST')
    throw new LineRefused('invalid_method', reasons.mustBe('method', expected.exactly('POST')), 'method');
  if (url !== endpoint) throw new LineRefused('invalid_url', reasons.mustBe('url', expected.exactly(endpoint)), 'url');
}
