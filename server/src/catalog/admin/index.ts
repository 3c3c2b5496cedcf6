/** What the operator's API and command line may do with the catalog. Every change is heard by every replica and leaves a trail. */

import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { reasons } from '../../core/reasons.ts';
import { desiredCatalog, type SeedSources } from '../desired.ts';
import { type FileTerms, storeTerms, termsInForce } from '../exchange-terms.ts';
import { type SeedResult, seedCatalog } from '../seed.ts';
import { type ExchangeTerms, isDecimalText } from '../toman-price.ts';
import { type AdminTools, change, conflict } from './change.ts';
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
  /** What is not given of the terms stays as it is. */
  refresh(actor: string, terms?: Partial<ExchangeTerms>): Promise<SeedResult>;
}

/** `sources`: what start-up seeded from. `fileTerms`: what the YAML file fixes. */
export function createCatalogAdmin(tools: AdminTools, sources: SeedSources, fileTerms: FileTerms): CatalogAdmin {
  return {
    providers: createProviderAdmin(tools),
    models: createModelAdmin(tools),
    prices: createPriceAdmin(tools),
    groups: createGroupAdmin(tools),
    async refresh(actor, wanted) {
      const terms = { ...(await termsInForce(tools.db, fileTerms, sources.terms)), ...wanted };
      if (wanted) checkTerms(terms, fileTerms);
      const result = await seedCatalog(tools, desiredCatalog({ ...sources, terms }));
      const detail = { exchange_rate: terms.exchangeRate, margin: terms.margin, new_prices: result.newPrices };
      await change(tools, { actor, action: 'catalog.refresh', subject: 'catalog', detail }, async (tx, now) => {
        if (wanted) await storeTerms(tx, terms, now);
      });
      return result;
    },
  };
}

/** The same bounds as in the file: a rate of ten digits or a margin of a thousand percent is a typing error. */
function checkTerms({ exchangeRate, margin }: ExchangeTerms, fileTerms: FileTerms): void {
  if (fileTerms.exchangeRate !== undefined || fileTerms.margin !== undefined)
    throw conflict(
      'نرخ ارز و حاشیه در فایل پیکربندی تعیین شده و فقط همان‌جا تغییر می‌کند.',
      'The exchange rate and margin are set in the configuration file and change only there.',
    );
  if (!isDecimalText(exchangeRate) || Number(exchangeRate) < 1 || Number(exchangeRate) > 1_000_000_000)
    throw invalidRequest('exchange_rate', reasons.mustBe('exchange_rate', expected.between(1, 1_000_000_000)));
  if (!isDecimalText(margin) || Number(margin) > 10)
    throw invalidRequest('margin', reasons.mustBe('margin', expected.between(0, 10)));
}
