import { expect, it } from 'vitest';
import { seeded } from '../simulation/seeded.ts';
import { judge, type Reading } from './readings.ts';

const PER_READING_MS = 10_000;
const NOISE_MB = 0.5;

/** A run that fills its caches in the first third and leaves so much behind with every minute. */
function run(minutes: number, leakMbPerMinute: number): Reading[] {
  const chance = seeded(3);
  const count = (minutes * 60_000) / PER_READING_MS + 1;
  return Array.from({ length: count }, (_, at) => {
    const filled = 8 * Math.min(1, at / (count / 3));
    const leaked = (leakMbPerMinute * at * PER_READING_MS) / 60_000;
    const noise = (NOISE_MB * chance.below(1_000)) / 1_000;
    return { atMs: at * PER_READING_MS, heapMb: 28 + filled + leaked + noise, externalMb: 4, rssMb: 300 };
  });
}

it.each([
  ['caches that fill and stay full', 10, 0, 'flat'],
  ['a hundred and fifty bytes with each of fifty requests a second', 10, 0.43, 'not flat'],
  ['a leak in a run of minutes', 4, 2, 'too short to tell'],
])('%s', (_name, minutes, leak, verdict) => {
  const memory = judge(run(minutes, leak));
  expect(memory.heap).toBe(verdict);
  expect(memory.heapSlopeMbPerMinute).toBeGreaterThan(leak - 0.1);
  expect(memory.heapSlopeMbPerMinute).toBeLessThan(leak + 0.1);
  expect(memory.heapMb).toHaveLength(5);
});
