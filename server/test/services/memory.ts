/** Memory for tests that are about something else. */
import { MemoryBudget, type MemoryShare } from '../../src/platform/memory-budget.ts';

export function plentyOfMemory(): MemoryBudget {
  return new MemoryBudget({ maxBytes: 4 * 2 ** 30 });
}

export function plenty(): MemoryShare {
  return plentyOfMemory().open();
}
