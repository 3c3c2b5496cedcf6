/** What one protocol alone understands, kept beside the canonical form under the protocol's name. */
import type { Extras, ProtocolId } from '../core/chat.ts';
import { hasFields, isJsonObject, type JsonObject } from '../core/json.ts';

interface Carrier {
  extras?: Extras;
}

interface KeptFields {
  /** To be spread into what carries them; no extras where there is nothing to keep. */
  keep(fields: JsonObject | undefined): Carrier;
  kept(carrier: Carrier | undefined): JsonObject | undefined;
  /** A block we do not model, or whose every byte counts, as it came; it wins over the canonical part in its own protocol. */
  keptBlock(carrier: Carrier): JsonObject | undefined;
}

/** Made once per protocol, when its module is loaded. */
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
