/** `/api/admin/pricing`: the exchange rate and the margins of all, of vendors, of models and of accounts. */
import type { AccountService } from '../../accounts/index.ts';
import { type CatalogAdmin, checkMargin, type RateSource } from '../../catalog/index.ts';
import type { Register } from '../routes/register.ts';
import { accountView } from './accounts.ts';
import {
  changePricing,
  fetchRate,
  getPricing,
  getRateSource,
  previewAccountMargin,
  previewPricing,
  removeRateSource,
  setAccountMargin,
  setRateSource,
  withdrawPricing,
} from './routes/pricing.ts';

type PricingInput = string | number;

interface ChangeInput {
  exchange_rate?: PricingInput;
  margins?: { layer: 'global' | 'vendor' | 'model'; subject?: string; margin: PricingInput | null }[];
  effective_at?: string;
}

export function pricing(register: Register, service: CatalogAdmin['pricing'], accounts: AccountService): void {
  register(getPricing, () => service.view());
  register(previewPricing, ({ body }) => service.preview(changeOf(body)));
  register(changePricing, async ({ body, actor }) => {
    const { changed, newPrices } = await service.change(changeOf(body), actor);
    return { changed, new_prices: newPrices };
  });
  register(withdrawPricing, ({ params, actor }) => service.withdraw(params.id, actor));
  register(setAccountMargin, async ({ params, body, actor }) => {
    const margin = textOf(body.margin);
    checkMargin(margin, 'margin');
    return accountView(await accounts.setMargin(params.id, margin, actor));
  });
  register(previewAccountMargin, async ({ params, body }) => {
    const { margin } = await accounts.get(params.id);
    return service.previewAccount(margin, textOf(body.margin));
  });
}

export function rateSource(register: Register, service: RateSource): void {
  register(getRateSource, async () => ({ object: 'rate_source', source: await service.view() }));
  register(setRateSource, async ({ body, actor }) => {
    const settings = { ...body, least: String(body.least), most: String(body.most) };
    return { object: 'rate_source', source: await service.set(settings, actor) };
  });
  register(removeRateSource, async ({ actor }) => {
    await service.remove(actor);
    return { object: 'rate_source', source: null };
  });
  register(fetchRate, async () => ({ object: 'rate_source', source: await service.fetchNow() }));
}

function changeOf({ exchange_rate: rate, margins, effective_at: effectiveAt }: ChangeInput) {
  return {
    exchangeRate: rate === undefined ? undefined : String(rate),
    margins: margins?.map(({ layer, subject, margin }) => ({ layer, subject, margin: textOf(margin) })),
    effectiveAt,
  };
}

function textOf(value: PricingInput | null): string | null {
  return value === null ? null : String(value);
}
