/** What was used, with the service tier that it is charged by. */
import type { AskedTier } from '../../core/chat.ts';
import type { Price } from '../../core/price.ts';
import type { Usage } from '../../core/usage.ts';
import { chargedTier } from '../../protocols/index.ts';

/** The usage itself where no tier was asked for, or none is sold. */
export function atTier(
  usage: Usage | null,
  asked: AskedTier | undefined,
  served: string | undefined,
  { serviceTiers }: Price,
): Usage | null {
  if (asked === undefined || !serviceTiers || !usage) return usage;
  const tier = chargedTier(asked, served);
  return tier !== undefined && serviceTiers[tier] !== undefined ? { ...usage, tier } : usage;
}
