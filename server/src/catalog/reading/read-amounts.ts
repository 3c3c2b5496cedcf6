/** Times and sums of money, as people write them. */
import { TIMEOUT_FIELDS } from '@dargah/core/fields/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Money, parseToman } from '../../core/money.ts';
import type { Timeouts } from '../model.ts';
import { parsePerMillion } from '../prices/price-fields.ts';
import type { Fields } from './fields.ts';
import { mistakes } from './mistakes.ts';

const TIMEOUT_NAMES = {
  connectMs: 'connect_ms',
  firstEventMs: 'first_event_ms',
  wholeAnswerMs: 'whole_answer_ms',
  idleMs: 'idle_ms',
  totalMs: 'total_ms',
} as const satisfies Record<keyof Timeouts, keyof typeof TIMEOUT_FIELDS>;

export function readTimeouts(fields: Fields | undefined): Partial<Timeouts> {
  const timeouts: Partial<Timeouts> = {};
  if (!fields) return timeouts;
  for (const [name, field] of Object.entries(TIMEOUT_NAMES)) {
    const value = fields.whole(field, TIMEOUT_FIELDS[field]);
    if (value !== undefined) timeouts[name as keyof Timeouts] = value;
  }
  fields.finish();
  return timeouts;
}

/** Toman of at least 0, with at most six decimals. */
export function readToman(fields: Fields, name: string): Money | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const amount = typeof value === 'number' || typeof value === 'string' ? parseToman(value) : undefined;
  if (amount !== undefined && amount >= 0n) return amount;
  return fields.mistake(name, mistakes.toman(value));
}

export function readPerMillion(fields: Fields, name: string): bigint | undefined {
  const value = fields.raw(name);
  if (value === undefined) return undefined;
  const amount = typeof value === 'number' || typeof value === 'string' ? parsePerMillion(value) : undefined;
  if (amount !== undefined) return amount;
  return fields.mistake(name, mistakes.perMillion(value));
}

export function renderTimeouts(timeouts: Partial<Timeouts>): JsonObject {
  const view: JsonObject = {};
  for (const [name, field] of Object.entries(TIMEOUT_NAMES)) {
    const value = timeouts[name as keyof Timeouts];
    if (value !== undefined) view[field] = value;
  }
  return view;
}
