import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RollingWindow, WINDOW_MS } from '../../src/admission/arithmetic.ts';

const START = 1_763_190_000_000;
/** Gaps between requests: bursts, fractions of a second, whole seconds, and nearly a window. */
const gaps = fc.array(
  fc.tuple(
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900 }), fc.integer({ min: 1, max: 70_000 })),
    fc.integer({ min: 0, max: 7 }),
  ),
  { minLength: 1, maxLength: 300 },
);

describe('rolling window', () => {
  it('admits more than the limit in no span of 60 seconds', () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 20 }), (steps, limit) => {
        const window = new RollingWindow();
        const admitted: { at: number; amount: number }[] = [];
        let now = START;
        for (const [gap, amount] of steps) {
          now += gap;
          if (!window.fits(limit, amount, now)) continue;
          window.add(amount, now);
          admitted.push({ at: now, amount });
        }
        for (const { at } of admitted) {
          const span = admitted.filter((other) => other.at >= at && other.at < at + WINDOW_MS);
          expect(span.reduce((sum, other) => sum + other.amount, 0)).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('tells truly when room comes and when it is empty', () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 20 }), (steps, limit) => {
        const window = new RollingWindow();
        let now = START;
        for (const [gap, amount] of steps) {
          now += gap;
          if (window.fits(limit, amount, now)) {
            window.add(amount, now);
            continue;
          }
          const wait = window.roomInMs(limit, amount, now);
          expect(wait).toBeGreaterThan(0);
          expect(wait).toBeLessThanOrEqual(WINDOW_MS);
          if (amount > limit) continue;
          // A copy looks into the future; the window itself must not expire early.
          const later = copyOf(window, now);
          expect(later.fits(limit, amount, now + wait - 1)).toBe(false);
          expect(later.fits(limit, amount, now + wait)).toBe(true);
        }
        const { resetMs } = window.state(limit, now);
        expect(resetMs).toBeLessThanOrEqual(WINDOW_MS);
        if (resetMs > 0) expect(window.used(now + resetMs - 1)).toBeGreaterThan(0);
        expect(window.state(limit, now + resetMs)).toEqual({ limit, remaining: limit, resetMs: 0 });
      }),
    );
  });

  it('puts corrections where the amount was taken, even above the limit', () => {
    const window = new RollingWindow();
    const first = window.add(10, START);
    window.add(5, START + 30_000);
    window.correct(first, 90);
    expect(window.state(20, START + 30_000)).toEqual({ limit: 20, remaining: 0, resetMs: 60_000 });
    expect(window.used(START + 59_999)).toBe(105);
    expect(window.used(START + 60_000)).toBe(5);
    window.correct(first, -50);
    expect(window.used(START + 60_000)).toBe(5);
  });

  it('admits nothing at limit 0', () => {
    const window = new RollingWindow();
    expect(window.fits(0, 1, START)).toBe(false);
    expect(window.roomInMs(0, 1, START)).toBe(WINDOW_MS);
    expect(window.state(0, START)).toEqual({ limit: 0, remaining: 0, resetMs: 0 });
  });

  it('survives a clock that steps back', () => {
    const window = new RollingWindow();
    window.add(3, START);
    window.add(1, START - 20_000);
    expect(window.used(START + 59_999)).toBe(4);
    expect(window.used(START + 60_000)).toBe(0);
    window.add(3, START);
    expect(window.fits(3, 1, START - 3_600_000)).toBe(true);
  });
});

function copyOf(window: RollingWindow, nowMs: number): RollingWindow {
  const copy = new RollingWindow();
  for (const entry of window.entries(nowMs)) copy.add(entry.amount, entry.lastAt);
  return copy;
}
