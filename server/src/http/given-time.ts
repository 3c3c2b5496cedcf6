/** A time in a query, as people write it: RFC 3339, or a day of either calendar. */
import { invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { parseGivenTime } from '../keys/index.ts';

/** Milliseconds since 1970. */
export function givenTime(text: string | undefined, param: string): number | undefined {
  if (text === undefined) return undefined;
  const at = parseGivenTime(text);
  if (at === undefined) throw invalidRequest(param, reasons.mustBeDate(param));
  return at;
}
