import { describe, expect, it } from 'vitest';
import { MAX_RATE, type MeasuredOf, MIN_SHARE, ReasoningRates } from '../../src/reasoning/rates.ts';

const OPERATORS = 60;
const at = (tokensPerSecond: number, tokens = 6_000) => ({ tokens, ms: (tokens / tokensPerSecond) * 1_000 });

describe('how fast a model thinks unseen', () => {
  it("is the operator's rate before anything was learned", () => {
    expect(new ReasoningRates().of('one', 'model', OPERATORS)).toBe(OPERATORS);
  });

  it('is learned by each account for itself', () => {
    const rates = new ReasoningRates();
    rates.learn('one', 'model', at(200));
    expect(rates.of('one', 'model', OPERATORS)).toBeCloseTo(200);
    expect(rates.of('other', 'model', OPERATORS)).toBe(OPERATORS);
    expect(rates.of('one', 'other', OPERATORS)).toBe(OPERATORS);
  });

  it('cannot be taught far down', () => {
    const rates = new ReasoningRates();
    for (let i = 0; i < 1_000; i++) rates.learn('one', 'model', at(1, 300));
    expect(rates.of('one', 'model', OPERATORS)).toBe(OPERATORS * MIN_SHARE);
  });

  it('cannot be taught above what any provider reaches', () => {
    const rates = new ReasoningRates();
    rates.learn('one', 'model', { tokens: 1_000_000, ms: 1_000 });
    expect(rates.of('one', 'model', OPERATORS)).toBe(MAX_RATE);
  });

  it('weighs answers by their tokens, so that cheap ones teach little', () => {
    const rates = new ReasoningRates();
    rates.learn('one', 'model', at(200, 30_000));
    for (let i = 0; i < 10; i++) rates.learn('one', 'model', at(20, 300));
    expect(rates.of('one', 'model', OPERATORS)).toBeGreaterThan(0.9 * 200);
  });

  it('learns nothing from answers that thought too little or too short', () => {
    const rates = new ReasoningRates();
    rates.learn('one', 'model', { tokens: 255, ms: 60_000 });
    rates.learn('one', 'model', { tokens: 5_000, ms: 999 });
    expect(rates.of('one', 'model', OPERATORS)).toBe(OPERATORS);
  });

  it('begins with what most accounts measured where that is more, and never with less than the operator says', () => {
    const rates = new ReasoningRates();
    rates.readUsual([
      { model: 'fast', rate: 130 },
      { model: 'slow', rate: 20 },
    ]);
    expect(rates.of('new', 'fast', OPERATORS)).toBe(130);
    expect(rates.of('new', 'slow', OPERATORS)).toBe(OPERATORS);
    rates.learn('one', 'fast', at(10));
    expect(rates.of('one', 'fast', OPERATORS)).toBeCloseTo(130 * MIN_SHARE);
  });

  it('forgets nothing when it cannot be written, and writes it once', async () => {
    const rates = new ReasoningRates();
    rates.learn('one', 'model', at(200));
    const failing = rates.handOver(async () => {
      // Learned while the database does not answer.
      rates.learn('one', 'model', at(200));
      throw new Error('away');
    });
    await expect(failing).rejects.toThrow('away');
    expect(rates.of('one', 'model', OPERATORS)).toBeCloseTo(200);
    const written: MeasuredOf[][] = [];
    const write = async (measured: MeasuredOf[]) => {
      written.push(measured);
      return measured;
    };
    await rates.handOver(write);
    await rates.handOver(write);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject([{ account: 'one', model: 'model', tokens: 12_000 }]);
  });
});
