/** What this protocol alone understands, kept beside the canonical form under its own name. */
import type { Extras } from '../../core/chat.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';

export const PROTOCOL = 'anthropic-messages';

export function keep(fields: JsonObject | undefined): { extras?: Extras } {
  return fields ? { extras: { [PROTOCOL]: fields } } : {};
}

export function kept(carrier: { extras?: Extras } | undefined): JsonObject | undefined {
  return carrier?.extras?.[PROTOCOL];
}

/** A block we do not model (or not wholly), as it came; it wins over the canonical part in its own protocol. */
export function keptBlock(carrier: { extras?: Extras }): JsonObject | undefined {
  const block = kept(carrier)?.['block'];
  return isJsonObject(block) ? block : undefined;
}
