/** What a request makes us hold beside its body. It is taken before it is loaded, and released with the request. */
import type { MemoryShare } from '../platform/memory-budget.ts';
import type { Call } from './call.ts';
import type { Gateway } from './gateway.ts';

export function memoryOf({ trail }: Pick<Call, 'trail'>, gw: Pick<Gateway, 'memory'>): MemoryShare {
  trail.memory ??= gw.memory.open(trail.key?.account.id);
  return trail.memory;
}
