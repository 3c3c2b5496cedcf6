/**
 * Some providers sign a tool call and refuse its replay without the signature (Gemini's thoughtSignature). No client
 * protocol has a field for it, but every client sends the call's id back unchanged, so the signature rides in the id:
 * `<id>__sig_b<letters>` for base64, which is what providers use and costs nothing to carry, `<id>__sig_t<letters>` for
 * any other text. Both stay within [A-Za-z0-9_-], the narrowest alphabet of ids among the protocols.
 */
import { fromBase64Url, toBase64Url } from './base64url.ts';

const MARK = '__sig_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LETTERS = /^[A-Za-z0-9_-]*$/;

export function joinToolSignature(id: string, signature: string | undefined): string {
  if (!signature) return id;
  if (!BASE64.test(signature)) return `${id}${MARK}t${toBase64Url(signature)}`;
  return `${id}${MARK}b${signature.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** An id that carries no readable signature comes back whole: it is the client's own. */
export function splitToolSignature(joined: string): { id: string; signature?: string } {
  const at = joined.indexOf(MARK);
  if (at <= 0) return { id: joined };
  const letters = joined.slice(at + MARK.length + 1);
  const signature = readSignature(joined[at + MARK.length], letters);
  return signature ? { id: joined.slice(0, at), signature } : { id: joined };
}

function readSignature(form: string | undefined, letters: string): string | undefined {
  if (!LETTERS.test(letters) || letters.length % 4 === 1) return undefined;
  if (form === 't') return fromBase64Url(letters);
  if (form !== 'b') return undefined;
  return letters.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (letters.length % 4)) % 4);
}
