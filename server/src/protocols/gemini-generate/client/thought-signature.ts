/**
 * `thoughtSignature` is the one opaque field of a part: Google's own, or a seal with what another protocol needs back.
 * The field holds bytes, which some SDKs re-encode in the other base64 alphabet, so a seal goes out as base64 too.
 */
import { fromBase64Url, toBase64Url } from '../../base64url.ts';
import { type OpaqueReasoning, openForeignReasoning, sealForeignReasoning } from '../../reasoning-seal.ts';
import { PROTOCOL } from '../own-fields.ts';

/** The beginning of every seal in base64. */
const SEALED = 'c3ZjMS';

/** Returns undefined when there is nothing to send back. */
export function signThought(opaque: OpaqueReasoning): string | undefined {
  if (opaque.origin === PROTOCOL) return opaque.signature;
  const seal = sealForeignReasoning(opaque);
  return seal === '' ? undefined : standardBase64(toBase64Url(seal));
}

/** Opens a signature. One that is no seal of ours is Google's. */
export function openThought(signature: string): OpaqueReasoning {
  if (!signature.startsWith(SEALED)) return { signature, origin: PROTOCOL };
  const seal = fromBase64Url(signature.replaceAll('=', ''));
  return seal === undefined ? { signature, origin: PROTOCOL } : openForeignReasoning(seal);
}

function standardBase64(letters: string): string {
  return letters.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (letters.length % 4)) % 4);
}
