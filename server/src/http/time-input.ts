/** A time as people write it: RFC 3339, or a day of either calendar. */

import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { parseTimeInput } from '../keys/index.ts';

/**
 * Returns milliseconds since 1970. A day, or a time without a zone, is meant in `timeZone`: for customers, that of
 * their account.
 */
export function timeInput<T extends string | undefined>(
  text: T,
  param: string,
  timeZone: string = HOME_ZONE,
): number | Extract<T, undefined> {
  if (text === undefined) return undefined as Extract<T, undefined>;
  const at = parseTimeInput(text, timeZone);
  if (at === undefined) throw invalidRequest(param, reasons.mustBeDate(param));
  return at;
}

export function dateInput(text: string | undefined, param: string): Date | undefined {
  const at = timeInput(text, param);
  return at === undefined ? undefined : new Date(at);
}
