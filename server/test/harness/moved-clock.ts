/** Real time that a test can push forward. */
import type { Clock } from '../../src/core/clock.ts';

export class MovedClock implements Clock {
  moved = 0;
  now = () => Date.now() + this.moved;
  monotonicMs = () => performance.now() + this.moved;
}
