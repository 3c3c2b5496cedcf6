/**
 * Money is whole micro-toman in bigint. N toman per million tokens is exactly N micro-toman per token,
 * so a cost is a sum of products and nothing is ever rounded.
 */
import { withoutTrailing } from './trailing.ts';

declare const microToman: unique symbol;
export type Money = bigint & { readonly [microToman]: true };

export const ZERO = 0n as Money;
const MICRO = 1_000_000n;
const MAX_EXACT_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

export function money(micro: bigint): Money {
  return micro as Money;
}

export function max(a: Money, b: Money): Money {
  return a > b ? a : b;
}

export function min(a: Money, b: Money): Money {
  return a < b ? a : b;
}

/** Exact decimal text in toman: `0.00195`, `12`, `-3.5`. */
export function toTomanText(amount: Money): string {
  if (amount >= 0n && amount <= MAX_EXACT_NUMBER) return smallTomanText(Number(amount));
  const sign = amount < 0n ? '-' : '';
  const micro = amount < 0n ? -amount : amount;
  const whole = micro / MICRO;
  const fraction = micro % MICRO;
  if (fraction === 0n) return `${sign}${whole}`;
  return `${sign}${whole}.${withoutTrailing(fraction.toString().padStart(6, '0'), '0')}`;
}

/** The same in plain numbers, which are exact up to this bound and many times faster than bigint. */
function smallTomanText(micro: number): string {
  const fraction = micro % 1_000_000;
  const whole = (micro - fraction) / 1_000_000;
  if (fraction === 0) return String(whole);
  // The leading 1 keeps zeros before the first digit, and is cut off afterwards.
  let text = String(1_000_000 + fraction);
  while (text.endsWith('0')) text = text.slice(0, -1);
  return `${whole}.${text.slice(1)}`;
}

/** For `usage.cost`, which is a JSON number by contract. The exact text stands beside it in `x-svc-cost`. */
export function toTomanNumber(amount: Money): number {
  // Rounds once, as parsing the exact text would.
  if (amount >= 0n && amount <= MAX_EXACT_NUMBER) return Number(amount) / 1_000_000;
  return Number(toTomanText(amount));
}

/** Reads toman from a number or decimal text with at most six decimals; undefined when it is neither. */
export function parseToman(value: string | number): Money | undefined {
  const text = typeof value === 'number' ? decimalText(value) : value.trim();
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const micro = BigInt(match[2] as string) * MICRO + BigInt((match[3] ?? '').padEnd(6, '0'));
  return (match[1] === '-' ? -micro : micro) as Money;
}

function decimalText(value: number): string {
  const text = String(value);
  // 1e-7 and 1e21 have no plain decimal text; a configuration that contains them is a mistake.
  return text.includes('e') && Math.abs(value) < 1 ? withoutTrailing(value.toFixed(20), '0') : text;
}
