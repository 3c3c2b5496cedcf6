/** A person's confirmation that the exchange rate and the margin are right; until then nothing is sold by them. */
import { readTerms, termsAt } from '../prices/pricing-terms.ts';
import { isConfirmed, readSelling, UNCONFIRMED, writeSelling } from '../prices/selling.ts';
import { catalogReasons } from '../reasons.ts';
import type { DatedSources } from '../seed/seed.ts';
import { type AdminTools, change, conflict } from './change.ts';

export type SellingAdmin = ReturnType<typeof createSellingAdmin>;

export function createSellingAdmin(tools: AdminTools, { file, sources }: DatedSources) {
  const { db, clock } = tools;
  const view = async () => {
    const nowMs = clock.now();
    const { exchangeRate, margin } = termsAt(await readTerms(db, nowMs), nowMs, file, sources.terms);
    const stored = await readSelling(db);
    const { source, by, at, rate, margin: confirmedMargin } = stored ?? UNCONFIRMED;
    return {
      object: 'selling' as const,
      confirmed: isConfirmed(stored),
      source,
      by,
      at,
      confirmed_rate: rate,
      confirmed_margin: confirmedMargin,
      // Sales began before anybody was asked, so the operator should check both once.
      look_again: source === 'carried',
      exchange_rate: exchangeRate,
      margin,
    };
  };
  return {
    view,
    /** `seen` is what the person saw; refused when something else is in force by now. */
    async confirm(seen: { exchangeRate: string; margin: string }, actor: string) {
      const detail = { exchange_rate: seen.exchangeRate, margin: seen.margin };
      await change(tools, { actor, action: 'selling.confirm', subject: 'selling', detail }, async (tx, now) => {
        const terms = termsAt(await readTerms(tx, now.getTime()), now.getTime(), file, sources.terms);
        if (Number(terms.exchangeRate) !== Number(seen.exchangeRate) || Number(terms.margin) !== Number(seen.margin))
          throw conflict(catalogReasons.rateMoved);
        const { exchangeRate: rate, margin } = terms;
        await writeSelling(tx, { source: 'person', rate, margin, by: actor, at: now.toISOString() }, now);
      });
      return view();
    },
  };
}
