/** The memory budget: what the operator set, or a share of what this process may use. */
import type { Settings } from '../config/index.ts';
import type { Log } from '../platform/log.ts';
import { defaultMemoryBudget, JSON_MEMORY_FACTOR, MemoryBudget } from '../platform/memory-budget.ts';

/** With less not even one ordinary request could be answered. */
const MIN_BYTES = 1 << 20;

export function openMemoryBudget({ maxBodiesTotalBytes, maxBodyBytes }: Settings['limits'], log: Log): MemoryBudget {
  const maxBytes = maxBodiesTotalBytes === 0 ? defaultMemoryBudget() : Math.max(MIN_BYTES, maxBodiesTotalBytes);
  const budget = new MemoryBudget({ maxBytes });
  const largest = Math.floor(budget.maxLarge / JSON_MEMORY_FACTOR);
  if (largest < maxBodyBytes)
    log.warn({ budget: maxBytes, largest, maxBodyBytes }, 'bodies beyond this size do not fit into memory and get 503');
  return budget;
}
