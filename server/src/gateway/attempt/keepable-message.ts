/**
 * A provider's error text, made fit for the request log. Operators need it ("unsupported parameter", "no credit left"),
 * but some providers quote the prompt or the key they were sent, and neither may be logged.
 */
import { isJsonObject, parseTrustedJson } from '../../core/json.ts';

/** The longest cause that is kept of an attempt. */
export const MAX_CAUSE_CHARACTERS = 500;
/** A quotation longer than twice this is always found; a shorter one reveals little. */
const PIECE_LENGTH = 10;
/** Names of fields and types occur in every complaint and every request, so they are no secret. */
const IDENTIFIER = /^[A-Za-z_.'"[\]]*$/;
/** Searching more would block the process for longer than one message is worth. */
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;

export const WITHHELD = 'withheld: the provider quoted the request';

export function keepableMessage(message: string, sent: Uint8Array, secrets: readonly string[]): string {
  let kept = message.slice(0, MAX_CAUSE_CHARACTERS);
  for (const secret of secrets) if (secret !== '') kept = kept.replaceAll(secret, '…');
  return quotes(kept, sent) ? WITHHELD : kept;
}

function quotes(kept: string, sent: Uint8Array): boolean {
  if (sent.length > MAX_SEARCHED_BYTES) return true;
  const request = asWritten(sent);
  for (let at = 0; at + PIECE_LENGTH <= kept.length; at += PIECE_LENGTH) {
    const piece = kept.slice(at, at + PIECE_LENGTH);
    if (!IDENTIFIER.test(piece) && request.includes(JSON.stringify(piece).slice(1, -1))) return true;
  }
  return false;
}

/** Clients may write every letter beyond ASCII as an escape, so escapes are decoded before comparing. */
function asWritten(sent: Uint8Array): string {
  const text = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength).toString('utf8');
  const parsed = text.includes('\\u') || text.includes('\\/') ? parseTrustedJson(text) : undefined;
  return isJsonObject(parsed) ? JSON.stringify(parsed) : text;
}
