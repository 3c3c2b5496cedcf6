import { describe, expect, it } from 'vitest';
import { createLagGuard } from '../../../src/platform/telemetry/index.ts';

function setUp() {
  let nowMs = 0;
  let sample: () => unknown = () => undefined;
  const guard = createLagGuard({
    clock: { now: () => nowMs, monotonicMs: () => nowMs },
    background: {
      every: (_everyMs: number, _name: string, work: () => unknown) => {
        sample = work;
      },
    } as never,
    maxLagMs: 250,
  });
  const late = (lateMs: number, times = 1) => {
    for (let i = 0; i < times; i++) {
      nowMs += 100 + lateMs;
      sample();
    }
    return guard.isOverloaded();
  };
  return { guard, late };
}

describe('the lag guard', () => {
  it('takes one long turn, however long, for no overload', () => {
    const { late } = setUp();
    expect(late(60_000)).toBe(false);
    expect(late(0)).toBe(false);
    expect(late(60_000)).toBe(false);
  });

  it('takes three long turns in a row for overload, and recovers', () => {
    const { late } = setUp();
    expect(late(2_000, 3)).toBe(true);
    expect(late(0)).toBe(true);
    expect(late(0, 3)).toBe(false);
  });

  it('never calls an ordinary load overload', () => {
    const { guard, late } = setUp();
    expect(late(200, 1_000)).toBe(false);
    expect(guard.lagMs).toBeGreaterThan(190);
  });
});
