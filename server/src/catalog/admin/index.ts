/** What the operator's API and command line may do with the catalog. Every change is heard by every replica and leaves a trail. */

import { desiredCatalog, type SeedSources } from '../desired.ts';
import { storeTerms } from '../exchange-terms.ts';
import { type SeedResult, seedCatalog } from '../seed.ts';
import type { ExchangeTerms } from '../toman-price.ts';
import { type AdminTools, change } from './change.ts';
import { createGroupAdmin, type GroupAdmin } from './groups.ts';
import { createModelAdmin, type ModelAdmin } from './models.ts';
import { createPriceAdmin, type PriceAdmin } from './prices.ts';
import { createProviderAdmin, type ProviderAdmin } from './providers.ts';

export interface CatalogAdmin {
  providers: ProviderAdmin;
  models: ModelAdmin;
  prices: PriceAdmin;
  groups: GroupAdmin;
  /** Lists and prices everything anew; with `terms`, by a new exchange rate and margin, which are remembered. */
  refresh(actor: string, terms?: ExchangeTerms): Promise<SeedResult>;
}

/** `sources`: what start-up seeded from; a refresh starts from the same. */
export function createCatalogAdmin(tools: AdminTools, sources: () => SeedSources): CatalogAdmin {
  return {
    providers: createProviderAdmin(tools),
    models: createModelAdmin(tools),
    prices: createPriceAdmin(tools),
    groups: createGroupAdmin(tools),
    async refresh(actor, terms) {
      const present = sources();
      const result = await seedCatalog(tools, desiredCatalog({ ...present, terms: terms ?? present.terms }));
      const { exchangeRate, margin } = terms ?? present.terms;
      const detail = { exchange_rate: exchangeRate, margin, new_prices: result.newPrices };
      await change(tools, { actor, action: 'catalog.refresh', subject: 'catalog', detail }, async (tx, now) => {
        if (terms) await storeTerms(tx, terms, now);
      });
      return result;
    },
  };
}
