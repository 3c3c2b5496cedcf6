import type { Clock } from '../../src/core/clock.ts';

/** A clock that moves only when a test moves it. */
export class HandClock implements Clock {
  nowMs: number;

  constructor(nowMs = Date.parse('2026-11-15T07:00:00.250Z')) {
    this.nowMs = nowMs;
  }

  now(): number {
    return this.nowMs;
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  advance(ms: number): void {
    this.nowMs += ms;
  }
}
