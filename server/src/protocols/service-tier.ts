/** Service tiers: what a client asks for, and by which its answer is charged. */

import type { ServiceTier } from '@dargah/core/catalog-terms.ts';
import type { AskedTier, ProtocolId } from '../core/chat.ts';
import type { JsonObject } from '../core/json.ts';

/** OpenAI reports its `fast` as `priority`: they are one tier. */
const OF_OPENAI = new Map<unknown, AskedTier>([
  ['auto', 'auto'],
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['fast', 'priority'],
  ['ultrafast', 'ultrafast'],
]);

/** Returns undefined for the normal tier, and for unknown values. */
export function askedTier(protocol: ProtocolId, body: JsonObject): AskedTier | undefined {
  if (protocol === 'gemini-generate') return undefined;
  if (protocol !== 'anthropic-messages') return OF_OPENAI.get(body['service_tier']);
  if (body['speed'] === 'fast') return 'fast';
  return body['service_tier'] === 'auto' ? 'auto' : undefined;
}

/** Values by which providers name the normal tier. */
const NORMAL = /^(?:default|standard|on_demand)$/;
/** What a provider may choose by itself. */
const CHOSEN = new Map<string | undefined, ServiceTier>([
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['fast', 'priority'],
]);

/**
 * The tier of a charge. A provider may serve a request at the normal tier instead, and then reports that; one that
 * reports nothing is charged as asked, because it bills what was asked. Silence about `flex` means the normal price:
 * the discount needs a report.
 */
export function chargedTier(asked: AskedTier, reported: string | undefined): ServiceTier | undefined {
  if (asked === 'auto') return CHOSEN.get(reported);
  if (reported !== undefined && NORMAL.test(reported)) return undefined;
  if (asked === 'flex') return reported === 'flex' ? 'flex' : undefined;
  return asked;
}
