/**
 * Thinking blocks have one opaque field, `signature`, and only Anthropic may read what it wrote there. Reasoning of
 * another language (Responses' encrypted content, signed details of a chat provider) is sealed into that field on its
 * way to the client, so that the client brings it back, and opened again on its way to the provider that needs it.
 */
import type { ProtocolId, ReasoningPart } from '../../core/chat.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { fromBase64Url, toBase64Url } from '../base64url.ts';
import { PROTOCOL } from './own-fields.ts';

type Opaque = Pick<ReasoningPart, 'signature' | 'encrypted' | 'id' | 'origin'>;

const MARK = 'svc1.';
const ORIGINS: readonly ProtocolId[] = ['openai-chat', 'openai-responses', 'gemini-generate'];

/** The `signature` of a thinking block; '' when there is nothing to bring back. */
export function sealReasoning({ signature, encrypted, id, origin }: Opaque): string {
  if (origin === PROTOCOL) return signature ?? '';
  if (origin === undefined || (signature === undefined && encrypted === undefined)) return '';
  const sealed: JsonObject = {
    origin,
    ...(signature !== undefined && { signature }),
    ...(encrypted !== undefined && { encrypted }),
    ...(id !== undefined && { id }),
  };
  return MARK + toBase64Url(JSON.stringify(sealed));
}

/** The way back. A signature without our mark is Anthropic's own; an empty one proves nothing and has no origin. */
export function openReasoning(signature: string): Opaque {
  if (signature === '') return {};
  if (!isSealed(signature)) return { signature, origin: PROTOCOL };
  const text = fromBase64Url(signature.slice(MARK.length));
  const sealed = text === undefined ? undefined : parseTrustedJson(text);
  const origin = isJsonObject(sealed) ? ORIGINS.find((known) => known === sealed['origin']) : undefined;
  if (!isJsonObject(sealed) || !origin) return {};
  const opened: Opaque = { origin };
  for (const field of ['signature', 'encrypted', 'id'] as const) {
    const value = sealed[field];
    if (typeof value === 'string') opened[field] = value;
  }
  return opened;
}

export function isSealed(signature: string): boolean {
  return signature.startsWith(MARK);
}
