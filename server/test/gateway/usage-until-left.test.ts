import { describe, expect, it } from 'vitest';
import type { Usage } from '../../src/core/usage.ts';
import { reportedThought, usageUntilLeft } from '../../src/gateway/settle/usage-until-left.ts';

const usage = (buckets: Usage['buckets']): Usage => ({ buckets, source: 'upstream' });

describe('a report that came after the client had left', () => {
  it('stands as it is when nothing was made after that', () => {
    const reported = usage({ inputFresh: 10, output: 30, reasoning: 1_000 });
    expect(usageUntilLeft(reported, { shownBefore: 30, shownAfter: 0, thoughtShare: 1 })).toBe(reported);
  });

  it('loses the words that came later', () => {
    const reported = usage({ inputFresh: 10, output: 40, reasoning: 1_000 });
    expect(usageUntilLeft(reported, { shownBefore: 10, shownAfter: 30, thoughtShare: 1 })).toEqual({
      buckets: { inputFresh: 10, output: 10, reasoning: 1_000 },
      source: 'estimated',
    });
  });

  it('loses the reasoning that came later', () => {
    const reported = usage({ inputFresh: 10, output: 40, reasoning: 1_000 });
    const { buckets } = usageUntilLeft(reported, { shownBefore: 0, shownAfter: 40, thoughtShare: 0.25 });
    expect(buckets).toEqual({ inputFresh: 10, output: 0, reasoning: 250 });
  });

  it('of one sum (Anthropic) keeps what was thought and what was shown before', () => {
    const reported = usage({ inputFresh: 10, output: 1_040 });
    const { buckets } = usageUntilLeft(reported, { shownBefore: 10, shownAfter: 30, thoughtShare: 1 });
    expect(buckets).toEqual({ inputFresh: 10, output: 1_010 });
  });

  it('is never more than was reported, however we count', () => {
    const reported = usage({ output: 40 });
    const { buckets } = usageUntilLeft(reported, { shownBefore: 400, shownAfter: 100, thoughtShare: 1 });
    expect(buckets.output).toBe(32);
  });
});

describe('what was thought of a reported answer', () => {
  it('is what the provider says, and else all that was not the answer', () => {
    expect(reportedThought(usage({ output: 40, reasoning: 1_000 }), 39)).toBe(1_000);
    expect(reportedThought(usage({ output: 1_040 }), 40)).toBe(1_000);
    expect(reportedThought(usage({ output: 30 }), 40)).toBe(0);
  });
});
