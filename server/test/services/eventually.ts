import { vi } from 'vitest';
import { scaled } from '../harness/slowness.ts';

/** Repeats a check until it holds. Generous, since it only costs time when something is broken or the machine is busy. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: scaled(50_000), interval: 10 });
}
