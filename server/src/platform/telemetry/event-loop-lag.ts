/**
 * How late the event loop runs, and whether that is too late. A process that is behind gets slower with every request it
 * accepts; refusing some at once keeps the others fast.
 */
import type { Clock } from '../../core/clock.ts';
import type { Background } from '../background.ts';

export interface LagGuard {
  /** Smoothed, in milliseconds. */
  readonly lagMs: number;
  isOverloaded(): boolean;
}

const SAMPLE_MS = 100;
/**
 * Share of the newest sample, and the most one sample counts for (in limits): one long turn of the loop, however long, is
 * not overload; three in a row are. Without the bound the long turns of starting up would refuse the very first request.
 */
const SMOOTHING = 0.3;
const MAX_OF_ONE_SAMPLE = 1.6;

export function createLagGuard(options: { clock: Clock; background: Background; maxLagMs: number }): LagGuard {
  const { clock, background, maxLagMs } = options;
  let expectedMs = clock.monotonicMs() + SAMPLE_MS;
  let lagMs = 0;
  let overloaded = false;
  background.every(SAMPLE_MS, 'event-loop lag', () => {
    const nowMs = clock.monotonicMs();
    const sampleMs = Math.min(Math.max(0, nowMs - expectedMs), maxLagMs * MAX_OF_ONE_SAMPLE);
    lagMs += (sampleMs - lagMs) * SMOOTHING;
    expectedMs = nowMs + SAMPLE_MS;
    // Two thresholds: with one, a process at the edge would flip with every sample.
    overloaded = overloaded ? lagMs > maxLagMs / 2 : lagMs > maxLagMs;
  });
  return {
    get lagMs() {
      return lagMs;
    },
    isOverloaded: () => overloaded,
  };
}
