/** What tokens of a model cost at most, and how many an amount buys: for estimates, holds and settlements. */
import type { Model } from '../catalog/index.ts';
import { type Money, max, money } from '../core/money.ts';
import { highestUnitPrice } from '../core/price.ts';

/** How many output tokens `amount` buys after `inputTokens` are paid. */
export function affordableOutput(model: Model, inputTokens: number, amount: Money): number {
  const each = outputPrice(model, inputTokens);
  const left = amount - priceOf(model, inputTokens, 0);
  if (left < 0n) return 0;
  // Output that costs nothing is affordable without limit.
  return each === 0n ? Number.MAX_SAFE_INTEGER : Number(left / each);
}

export function priceOf(model: Model, inputTokens: number, outputTokens: number): Money {
  const { price } = model;
  const input = BigInt(inputTokens) * highestUnitPrice(price, 'inputFresh', inputTokens);
  return money(price.perRequest + input + BigInt(outputTokens) * outputPrice(model, inputTokens));
}

/** Reasoning may have a higher price of its own; a hold must cover whichever the model produces. */
export function outputPrice({ price }: Model, inputTokens: number): Money {
  const output = highestUnitPrice(price, 'output', inputTokens);
  return max(money(output), money(highestUnitPrice(price, 'reasoning', inputTokens)));
}
