/**
 * How long a differential test runs. In the suite: a fifth of so many cases with a fixed seed, the same every time; all of them in
 * `npm run test:long`. By `npm run fuzz -- <minutes>`: new cases until the time is over; a failure prints the seed that repeats it.
 */
import type { Parameters } from 'fast-check';
import { amount } from '../harness/long.ts';
import { scaled } from '../harness/slowness.ts';

const SEED = 20_240_320;

export function budget(runs: number): { parameters: Parameters<unknown>; timeoutMs: number } {
  const minutes = Number(process.env['FUZZ_MINUTES'] ?? 0);
  if (minutes <= 0)
    return { parameters: { numRuns: amount(Math.ceil(runs / 5), runs), seed: SEED }, timeoutMs: scaled(300_000) };
  const limitMs = minutes * 60_000;
  const seed = process.env['FUZZ_SEED'];
  return {
    parameters: {
      numRuns: 1_000_000_000,
      interruptAfterTimeLimit: limitMs,
      markInterruptAsFailure: false,
      ...(seed === undefined ? {} : { seed: Number(seed) }),
    },
    timeoutMs: limitMs + 300_000,
  };
}
