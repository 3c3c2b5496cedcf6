import { vi } from 'vitest';

/** Repeats a check until it holds. Generous, since it only costs time when something is broken or the machine is busy. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 80_000, interval: 10 });
}
