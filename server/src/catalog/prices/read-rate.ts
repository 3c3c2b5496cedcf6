/** Reads an exchange rate from JSON of another server, and judges whether it is plausible. Pure. */

import { latinDigits } from '@dargah/core/persian-text.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import { isDecimalText } from './toman-price.ts';

export interface RateBounds {
  /** Toman, decimal text. */
  least: string;
  most: string;
  /** Compared with the rate in force: a source that is off by a digit must not reprice everything. */
  maxChangePercent: number;
}

export type ReadRate = { rate: string } | { problem: string };

/** Groups of three digits separated by `,` `٬` `،` or a thin or common space; a point or `٫` before decimals. */
const GROUPED = /^\d{1,3}([,٬،\u0020\u00a0\u2009\u202f])\d{3}(\1\d{3}){0,6}(\.\d{1,20})?$/;

export function readRate(document: Json, pointer: string, unit: 'toman' | 'rial'): ReadRate {
  const found = valueAt(document, pointer);
  if (found === undefined) return { problem: `nothing stands at ${pointer}` };
  if (typeof found !== 'string' && typeof found !== 'number') return { problem: `${pointer} is not a number` };
  const text = plainDecimal(String(found));
  if (text === undefined) return { problem: `${pointer} is not a plain number` };
  if (!/[1-9]/.test(text)) return { problem: 'the rate is zero' };
  return { rate: unit === 'rial' ? tenth(text) : text };
}

/** RFC 6901. */
function valueAt(document: Json, pointer: string): Json | undefined {
  let at: Json | undefined = document;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = /^\d{1,6}$/.test(name) ? at[Number(name)] : undefined;
    else if (isJsonObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}

/**
 * Persian and Arabic digits and thousands separators are common in such answers; signs, exponents and words are
 * refused.
 */
function plainDecimal(written: string): string | undefined {
  let text = latinDigits(written.trim()).replace('٫', '.');
  const separator = GROUPED.exec(text)?.[1];
  if (separator !== undefined) text = text.replaceAll(separator, '');
  return isDecimalText(text) ? text : undefined;
}

function tenth(text: string): string {
  const [whole = '0', decimals = ''] = text.split('.');
  const digits = whole.padStart(2, '0');
  const rest = `${digits.slice(-1)}${decimals}`.replace(/0{1,40}$/, '');
  const front = digits.slice(0, -1).replace(/^0{1,40}(?=\d)/, '');
  return rest === '' ? front : `${front}.${rest}`;
}

/** Returns undefined when the rate is plausible. */
export function judgeRate(rate: string, inForce: string, bounds: RateBounds): string | undefined {
  const value = Number(rate);
  if (value < Number(bounds.least) || value > Number(bounds.most))
    return `${rate} is not between ${bounds.least} and ${bounds.most}`;
  const change = Math.abs(value / Number(inForce) - 1) * 100;
  if (change > bounds.maxChangePercent)
    return `${rate} is ${change.toFixed(1)} % away from ${inForce}, more than ${bounds.maxChangePercent} % at once`;
  return undefined;
}
