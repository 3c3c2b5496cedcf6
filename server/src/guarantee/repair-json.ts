/**
 * Repairs that leave no doubt about what was meant: a code fence around the answer, commas before a closing bracket,
 * closing brackets missing at the end. No other fault is guessed at. Pure and linear.
 */
import type { Repair } from '@dargah/core/guarantee-states.ts';
import { type Json, parseTrustedJson } from '../core/json.ts';

export interface Repaired {
  text: string;
  value: Json;
  done: Repair[];
}

const FENCE = /^```[A-Za-z0-9]{0,16}[ \t]{0,8}\r?\n/;
const FENCE_END = '```';

/** Returns undefined where no certain repair makes it JSON. */
export function repairJson(written: string): Repaired | undefined {
  const done: Repair[] = [];
  let text = written.trim();
  const opening = FENCE.exec(text);
  if (opening) {
    text = text.slice(opening[0].length).trimEnd();
    if (text.endsWith(FENCE_END)) text = text.slice(0, -FENCE_END.length);
    text = text.trim();
    done.push('fence');
  }
  let value = parseTrustedJson(text);
  if (value === undefined) {
    const closed = closeBrackets(text, done);
    if (closed === undefined) return undefined;
    text = closed;
    value = parseTrustedJson(text);
  }
  return value === undefined || done.length === 0 ? undefined : { text, value, done };
}

const CLOSING: Record<string, string> = { '{': '}', '[': ']' };
const LITERAL_END = /(?:true|false|null)$/;

/**
 * Returns undefined where the brackets contradict each other, or where something other than brackets is missing at the
 * end.
 */
function closeBrackets(text: string, done: Repair[]): string | undefined {
  const open: string[] = [];
  let kept = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') {
      at = endOfString(text, at);
      if (at < 0) return undefined;
    } else if (CLOSING[character] !== undefined) open.push(CLOSING[character]);
    else if (character === '}' || character === ']') {
      if (open.pop() !== character) return undefined;
    } else if (character === ',' && closesAfter(text, at)) {
      kept += text.slice(from, at);
      from = at + 1;
      if (!done.includes('comma')) done.push('comma');
    }
  }
  kept += text.slice(from);
  if (open.length === 0) return kept;
  if (!endsWithValue(kept)) return undefined;
  done.push('cut');
  return kept + open.reverse().join('');
}

/** The index of the closing quote, or -1 where there is none. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function closesAfter(text: string, comma: number): boolean {
  let at = comma + 1;
  while (at < text.length && ' \t\r\n'.includes(text[at] as string)) at++;
  return text[at] === '}' || text[at] === ']';
}

/**
 * True when the text ends with a complete value. No other end can be repaired: a number may have had more digits, and
 * after a comma, a colon or an opening bracket something is missing.
 */
function endsWithValue(text: string): boolean {
  const last = text.at(-1);
  return last === '"' || last === '}' || last === ']' || LITERAL_END.test(text);
}
