/** Why the model stopped. */
import type { Finish } from '../../core/chat.ts';

const FILTERED = new Set([
  'SAFETY',
  'PROHIBITED_CONTENT',
  'BLOCKLIST',
  'SPII',
  'RECITATION',
  'LANGUAGE',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

const BROKEN = new Set(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE']);

/** STOP is also the reason after a call, so the presence of calls decides. */
export function finishOf(reason: string, hasCalls: boolean): Finish {
  if (FILTERED.has(reason)) return { kind: 'content-filter', raw: reason };
  if (reason === 'MAX_TOKENS') return { kind: 'length', raw: reason };
  return { kind: hasCalls ? 'tool-calls' : 'stop', raw: reason };
}

/**
 * Reasons that leave nothing usable. A call of an undeclared function is one only when the call itself was withheld:
 * when it is there, the client can answer it, as with every other provider.
 */
export function isBroken(reason: string, hasCalls: boolean): boolean {
  return BROKEN.has(reason) || (reason === 'UNEXPECTED_TOOL_CALL' && !hasCalls);
}

/** Reasons for a blocked prompt; there are more for a stopped answer. */
const BLOCK_REASONS = new Set([
  'SAFETY',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'IMAGE_SAFETY',
  'MODEL_ARMOR',
  'JAILBREAK',
]);
const SAFETY = 'SAFETY';

/** The reason for a client: one of this protocol, because it would not know another's. */
export function encodeFinish({ kind, raw }: Finish, refused: boolean): string {
  switch (kind) {
    case 'length':
      return 'MAX_TOKENS';
    case 'content-filter':
      return raw !== undefined && FILTERED.has(raw) ? raw : SAFETY;
    case 'stop':
    case 'tool-calls':
      return refused ? SAFETY : 'STOP';
  }
}

export function blockReasonOf({ raw }: Finish): string {
  return raw !== undefined && BLOCK_REASONS.has(raw) ? raw : SAFETY;
}
