/**
 * Money is whole micro-toman in bigint. N toman per million tokens is exactly N micro-toman per token,
 * so a cost is a sum of products and nothing is ever rounded.
 */

declare const microToman: unique symbol;
export type Money = bigint & { readonly [microToman]: true };

export const ZERO = 0n as Money;
const MICRO = 1_000_000n;

export function money(micro: bigint): Money {
  return micro as Money;
}

export function max(a: Money, b: Money): Money {
  return a > b ? a : b;
}

/** Exact decimal text in toman: `0.00195`, `12`, `-3.5`. */
export function toTomanText(amount: Money): string {
  const sign = amount < 0n ? '-' : '';
  const micro = amount < 0n ? -amount : amount;
  const whole = micro / MICRO;
  const fraction = micro % MICRO;
  if (fraction === 0n) return `${sign}${whole}`;
  return `${sign}${whole}.${fraction.toString().padStart(6, '0').replace(/0+$/, '')}`;
}

/** For `usage.cost`, which is a JSON number by contract. The exact text stands beside it in `x-svc-cost`. */
export function toTomanNumber(amount: Money): number {
  return Number(toTomanText(amount));
}

/** Reads toman written as a number or decimal text with at most six decimals; undefined when it is not that. */
export function parseToman(value: string | number): Money | undefined {
  const text = typeof value === 'number' ? decimalText(value) : value.trim();
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const micro = BigInt(match[2] as string) * MICRO + BigInt((match[3] ?? '').padEnd(6, '0'));
  return (match[1] === '-' ? -micro : micro) as Money;
}

function decimalText(value: number): string {
  const text = String(value);
  // 1e-7 and 1e21 have no plain decimal text; a config that means them is a mistake.
  return text.includes('e') && Math.abs(value) < 1 ? value.toFixed(20).replace(/0+$/, '') : text;
}
