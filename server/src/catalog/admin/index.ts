/**
 * What the operator's API and command line may do with the catalog. Every replica is told of every change, and every
 * change is written to the audit log.
 */

import { type FileTerms, readTerms, termsAt } from '../prices/pricing-terms.ts';
import { comeIntoForce } from '../prices/route-costs.ts';
import type { ExchangeTerms } from '../prices/toman-price.ts';
import type { SeedSources } from '../seed/desired.ts';
import { type SeedResult, seedCatalog } from '../seed/seed.ts';
import { type AdminTools, change } from './change.ts';
import { type ChangeAdmin, createChangeAdmin } from './changes.ts';
import { createGroupAdmin, type GroupAdmin } from './groups.ts';
import { createModelAdmin, type ModelAdmin } from './models.ts';
import { type AskModels, offerOf } from './offer.ts';
import { createPriceAdmin, type PriceAdmin } from './prices.ts';
import { createPricingAdmin, type PricingAdmin } from './pricing.ts';
import { createProviderAdmin, type ProviderAdmin } from './providers.ts';
import { createRetirementAdmin, type RetirementAdmin } from './retirement.ts';
import { type CostAdmin, createCostAdmin } from './route-cost.ts';
import { createRouteAdmin, type RouteAdmin } from './routes.ts';
import { createSellingAdmin, type SellingAdmin } from './selling.ts';
import { createUseAdmin, type UseAdmin } from './uses.ts';

export interface CatalogAdmin {
  providers: ProviderAdmin;
  models: ModelAdmin;
  routes: RouteAdmin;
  costs: CostAdmin;
  retirement: Pick<RetirementAdmin, 'announce' | 'withdraw'>;
  uses: UseAdmin;
  changes: ChangeAdmin;
  selling: SellingAdmin;
  /** What a provider could serve; `ask` reaches the provider itself. */
  offer(provider: string, ask: AskModels): ReturnType<typeof offerOf>;
  prices: PriceAdmin;
  pricing: PricingAdmin;
  groups: GroupAdmin;
  /** Lists and prices everything anew; with `terms`, by a new exchange rate and margin, which are remembered. */
  /** What is not given of the terms stays as it is. */
  refresh(actor: string, terms?: Partial<ExchangeTerms>): Promise<SeedResult>;
  /**
   * Prices have their dates in the database. What the providers cost us is updated here, when an announced rate or cost
   * has come into force, and a model that has reached its last day is switched off. Called at intervals.
   */
  follow(): Promise<void>;
}

/** `sources`: what start-up seeded from. `fileTerms`: the terms that the YAML file fixes. */
export function createCatalogAdmin(tools: AdminTools, sources: SeedSources, fileTerms: FileTerms): CatalogAdmin {
  const dated = { sources, file: fileTerms };
  const pricing = createPricingAdmin(tools, dated);
  const retirement = createRetirementAdmin(tools);
  let followed: { rate: string; atMs: number } | undefined;
  return {
    providers: createProviderAdmin(tools),
    models: createModelAdmin(tools, dated),
    routes: createRouteAdmin(tools, dated),
    costs: createCostAdmin(tools, dated),
    retirement,
    uses: createUseAdmin(tools),
    changes: createChangeAdmin(tools, dated),
    selling: createSellingAdmin(tools, dated),
    offer: (provider, ask) => offerOf(tools, dated, ask, provider),
    prices: createPriceAdmin(tools, dated),
    pricing,
    groups: createGroupAdmin(tools),
    async refresh(actor, wanted) {
      if (wanted) {
        const { exchangeRate, margin } = wanted;
        const margins = margin === undefined ? undefined : [{ layer: 'global' as const, margin }];
        return pricing.change({ exchangeRate, margins }, actor);
      }
      const result = await seedCatalog(tools, dated, true);
      const detail = { new_prices: result.newPrices };
      await change(tools, { actor, action: 'catalog.refresh', subject: 'catalog', detail }, async () => undefined);
      return result;
    },
    async follow() {
      await retirement.follow();
      const now = tools.clock.now();
      const { exchangeRate } = termsAt(await readTerms(tools.db, now), now, fileTerms, sources.terms);
      const { rate, atMs } = followed ?? { rate: exchangeRate, atMs: now };
      if (rate !== exchangeRate || (await comeIntoForce(tools.db, atMs, now))) await seedCatalog(tools, dated);
      followed = { rate: exchangeRate, atMs: now };
    },
  };
}
