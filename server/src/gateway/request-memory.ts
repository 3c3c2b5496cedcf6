/** The memory that a request holds beside its body. It is reserved before loading, and released with the request. */
import type { MemoryShare } from '../platform/memory-budget.ts';
import type { Call } from './call.ts';
import type { Gateway } from './gateway.ts';

export function memoryOf({ metadata }: Pick<Call, 'metadata'>, gw: Pick<Gateway, 'memory'>): MemoryShare {
  metadata.memory ??= gw.memory.open(metadata.key?.account.id);
  return metadata.memory;
}
