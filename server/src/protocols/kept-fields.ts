/** Fields that only one protocol understands, kept beside the canonical form under the protocol's name. */
import type { Extras, ProtocolId } from '../core/chat.ts';
import { hasFields, isJsonObject, type JsonObject } from '../core/json.ts';

interface Carrier {
  extras?: Extras;
}

interface KeptFields {
  /** The result is spread into the object that carries the fields; it has no `extras` where there is nothing to keep. */
  keep(fields: JsonObject | undefined): Carrier;
  kept(carrier: Carrier | undefined): JsonObject | undefined;
  /**
   * A block we do not model, or that must stay unchanged, as it came; in its own protocol it wins over the canonical
   * part.
   */
  keptBlock(carrier: Carrier): JsonObject | undefined;
}

/** Each protocol makes its own once, when its module is loaded. */
export function keptFieldsOf(protocol: ProtocolId): KeptFields {
  const kept = (carrier: Carrier | undefined): JsonObject | undefined => carrier?.extras?.[protocol];
  return {
    keep: (fields) => (fields && hasFields(fields) ? { extras: { [protocol]: fields } } : {}),
    kept,
    keptBlock(carrier) {
      const block = kept(carrier)?.['block'];
      return isJsonObject(block) ? block : undefined;
    },
  };
}

/** Whether a whole block is kept under any protocol. */
export function keepsBlock(extras: Extras): boolean {
  for (const protocol in extras) if (extras[protocol as ProtocolId]?.['block'] !== undefined) return true;
  return false;
}
