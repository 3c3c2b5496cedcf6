/**
 * How much slower than a quiet machine of this decade this one is, at least 1. Waiting is bounded in every test, so that what
 * hangs fails by its name; the bounds grow with this factor, so that nothing fails because a machine is slow.
 */
import { createHash } from 'node:crypto';

/** What the work below takes on such a machine. */
const QUIET_MS = 40;

export function measureSlowness(): number {
  const block = Buffer.alloc(1 << 20);
  const startedAt = performance.now();
  for (let round = 0; round < 24; round++) createHash('sha256').update(block).digest();
  const measured = (performance.now() - startedAt) / QUIET_MS;
  // Build machines share their processors: what they have at the start of a run they may lose in the middle.
  return Math.max(1, Math.min(measured, 10)) * (process.env['CI'] ? 3 : 1);
}

/** In a test: a bound for a quiet machine, as long as this one may need. */
export function scaled(quietMs: number): number {
  return Math.ceil(quietMs * Number(process.env['DARGAH_TEST_SLOWNESS'] ?? 1));
}
