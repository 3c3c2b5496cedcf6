import { describe, expect, it } from 'vitest';
import { History } from '../../src/gateway/admit/history.ts';

describe('how fast a model thinks', () => {
  it('is learned from answers that thought', () => {
    const history = new History();
    expect(history.thoughtRate('one')).toBe(0);
    history.learnThought('one', 5_000, 50_000);
    expect(history.thoughtRate('one')).toBeCloseTo(0.1);
    expect(history.thoughtRate('another')).toBe(0);
  });

  it('is not taught down by answers that thought little or nothing', () => {
    const history = new History();
    history.learnThought('one', 5_000, 50_000);
    for (let i = 0; i < 100; i++) history.learnThought('one', i % 2 === 0 ? 0 : 20, 3_000);
    expect(history.thoughtRate('one')).toBeCloseTo(0.1);
  });
});
