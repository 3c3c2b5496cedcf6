/**
 * Thinking blocks have one opaque field, `signature`: Anthropic's own, or a seal with what another protocol needs back.
 */
import { isSealed, type OpaqueReasoning, openForeignReasoning, sealForeignReasoning } from '../reasoning-seal.ts';
import { PROTOCOL } from './own-fields.ts';

export { isSealed };

/** The `signature` of a thinking block; '' when there is nothing to send back. */
export function sealReasoning(opaque: OpaqueReasoning): string {
  return opaque.origin === PROTOCOL ? (opaque.signature ?? '') : sealForeignReasoning(opaque);
}

/** Opens a signature. One without our mark is Anthropic's own; an empty one has no origin. */
export function openReasoning(signature: string): OpaqueReasoning {
  if (signature === '') return {};
  return isSealed(signature) ? openForeignReasoning(signature) : { signature, origin: PROTOCOL };
}
