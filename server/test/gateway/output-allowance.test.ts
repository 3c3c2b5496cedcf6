import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../src/core/events.ts';
import { type Money, money } from '../../src/core/money.ts';
import { OutputAllowance } from '../../src/gateway/chat/output-allowance.ts';

const PRICE = money(10n);
const STEP = 512;
const piece = (text: string): ChatEvent => ({ type: 'part-delta', part: 0, text });

/** `grants`: tokens that wallet and caps can still pay for. */
function allowanceOf(held: number, grants: number) {
  const asked: bigint[] = [];
  let left = grants;
  const allowance = new OutputAllowance({
    held,
    stepTokens: STEP,
    price: PRICE,
    hold: async ({ want }): Promise<Money> => {
      asked.push(want);
      const tokens = Math.min(left, Number(want / PRICE));
      left -= tokens;
      return money(PRICE * BigInt(tokens));
    },
  });
  return { allowance, asked };
}

describe('OutputAllowance', () => {
  it('never asks for an answer that keeps well within its hold', () => {
    const { allowance, asked } = allowanceOf(100, 10_000);
    for (let i = 0; i < 60; i++) expect(allowance.covers(piece(' the'))).toBe(true);
    expect(asked).toEqual([]);
  });

  it('asks for one step before the hold is used up, and nobody waits for it', async () => {
    const { allowance, asked } = allowanceOf(400, 10_000);
    for (let i = 0; i < 350; i++) expect(allowance.covers(piece(' the'))).toBe(true);
    expect(asked).toEqual([PRICE * BigInt(STEP)]);
    await Promise.resolve();
    for (let i = 0; i < 400; i++) expect(await allowance.covers(piece(' the'))).toBe(true);
    expect(asked).toHaveLength(1);
  });

  it('waits for the answer when a piece is longer than what is left', async () => {
    const { allowance } = allowanceOf(100, 10_000);
    const covered = allowance.covers(piece(' the'.repeat(300)));
    expect(covered).toBeInstanceOf(Promise);
    expect(await covered).toBe(true);
  });

  it('covers no more than was granted, piece by piece', async () => {
    const { allowance, asked } = allowanceOf(100, 50);
    let delivered = 0;
    while (await allowance.covers(piece(' the'))) delivered++;
    expect(delivered).toBe(150);
    expect(asked).toHaveLength(1);
    expect(await allowance.covers(piece(' the'))).toBe(false);
  });

  it('covers nothing more when the question fails', async () => {
    const allowance = new OutputAllowance({
      held: 8,
      stepTokens: STEP,
      price: PRICE,
      hold: () => Promise.reject(new Error('no answer')),
    });
    expect(await allowance.covers(piece(' the'.repeat(20)))).toBe(false);
    expect(allowance.affordablePart(' the'.repeat(20)).length).toBeLessThanOrEqual(8 * ' the'.length);
  });
});
