/**
 * One frame of a stream. The SDK for Python cuts the text of a stream at everything that Unicode calls the end of a line, also in
 * the middle of a word in JSON, so those that JSON leaves as they are go out escaped.
 */
import type { JsonObject } from '../../../core/json.ts';
import { writeFrame } from '../../sse.ts';

const LINE_ENDS = /[\u0085\u2028\u2029]/g;

export function geminiFrame(body: JsonObject): string {
  return writeFrame(JSON.stringify(body).replace(LINE_ENDS, escaped));
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
