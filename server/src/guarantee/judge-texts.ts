/**
 * One job of the judge: each text of an answer is parsed, repaired where the repair is certain, and checked against its
 * schema. Pure.
 */
import type { Repair } from '@dargah/core/guarantee-states.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { findFault } from './find-fault.ts';
import { repairJson } from './repair-json.ts';

export interface JudgedText {
  text: string;
  /** Undefined when the text only has to be JSON. */
  schema?: JsonObject | undefined;
  /** Arguments of a tool must be an object; an empty text means no arguments. */
  isArguments: boolean;
}

export interface TextVerdict {
  /** `unmet`: only lengths, bounds or patterns are violated. */
  state: 'ok' | 'broken' | 'unmet';
  fault?: 'not_json' | 'schema';
  at?: string;
  /** The repaired text, where it was repaired. */
  text?: string;
  repairs?: Repair[];
}

const OK: TextVerdict = { state: 'ok' };
const NOT_JSON: TextVerdict = { state: 'broken', fault: 'not_json' };

export function judgeTexts(texts: readonly JudgedText[]): TextVerdict[] {
  return texts.map(judgeText);
}

function judgeText(given: JudgedText): TextVerdict {
  if (given.isArguments && given.text.trim() === '') return OK;
  const value = parseTrustedJson(given.text);
  if (value !== undefined) return held(value, given);
  const repaired = repairJson(given.text);
  if (!repaired) return NOT_JSON;
  const verdict = held(repaired.value, given);
  // A repair counts only when its result satisfies the schema.
  return verdict.state === 'broken' ? verdict : { ...verdict, text: repaired.text, repairs: repaired.done };
}

function held(value: Json, { schema, isArguments }: JudgedText): TextVerdict {
  if (isArguments && !isJsonObject(value)) return NOT_JSON;
  const fault = schema && findFault(value, schema);
  if (!fault) return OK;
  return { state: fault.minor ? 'unmet' : 'broken', fault: 'schema', at: fault.at };
}
