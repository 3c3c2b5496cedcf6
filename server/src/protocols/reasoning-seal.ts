/**
 * Reasoning must come back byte for byte to the protocol that made it, but a client of another protocol has one opaque
 * field at most (`signature`, `encrypted_content`). What a foreign provider needs back is sealed into that field on its
 * way to the client and opened again on its way to the provider.
 */
import { PROTOCOL_IDS, type ReasoningPart } from '../core/chat.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../core/json.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';

export type OpaqueReasoning = Pick<ReasoningPart, 'signature' | 'encrypted' | 'id' | 'origin'>;

const MARK = 'svc1.';

/** Returns '' when there is nothing to send back. */
export function sealForeignReasoning({ signature, encrypted, id, origin }: OpaqueReasoning): string {
  if (origin === undefined || (signature === undefined && encrypted === undefined)) return '';
  const sealed: JsonObject = {
    origin,
    ...(signature !== undefined && { signature }),
    ...(encrypted !== undefined && { encrypted }),
    ...(id !== undefined && { id }),
  };
  return MARK + toBase64Url(JSON.stringify(sealed));
}

/** Opens a seal; empty for a broken one, which has no origin. */
export function openForeignReasoning(seal: string): OpaqueReasoning {
  const text = fromBase64Url(seal.slice(MARK.length));
  const sealed = text === undefined ? undefined : parseTrustedJson(text);
  const origin = isJsonObject(sealed) ? PROTOCOL_IDS.find((known) => known === sealed['origin']) : undefined;
  if (!isJsonObject(sealed) || !origin) return {};
  const opened: OpaqueReasoning = { origin };
  for (const field of ['signature', 'encrypted', 'id'] as const) {
    const value = sealed[field];
    if (typeof value === 'string') opened[field] = value;
  }
  return opened;
}

export function isSealed(opaque: string): boolean {
  return opaque.startsWith(MARK);
}
