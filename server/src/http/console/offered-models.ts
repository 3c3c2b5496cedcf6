/**
 * `GET /api/console/models`: what every picker of the console chooses from, small enough to be read once and cached.
 */

import { listOfferedModels } from '@dargah/api/console/offered-models.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { AccountService } from '../../accounts/index.ts';
import { autoModel, type CatalogSnapshot, type Model, modelFor, policiesOf } from '../../catalog/index.ts';
import { toTomanText } from '../../core/money.ts';
import { permitsByList } from '../../keys/index.ts';
import { makerName } from '../pages/catalog/model-labels.ts';
import { lineOf, mainBucket } from '../pages/catalog/model-price.ts';
import type { Register } from '../routes/register.ts';

export interface OfferedModelServices {
  gw: { catalog: { current(): CatalogSnapshot }; settings: { readonly autoModels: readonly string[] } };
  accounts: Pick<AccountService, 'get'>;
}

type Offered = ResultOf<typeof listOfferedModels>;

export function offeredModelRoutes(register: Register, { gw, accounts }: OfferedModelServices): void {
  register(listOfferedModels, async ({ who }) => {
    const { rules, margin } = await accounts.get(who.accountId);
    const { models, groups } = gw.catalog.current();
    const permitted = [...models.values()].filter(({ id }) => permitsByList(rules.models, id, id, groups));
    const own = permitted.map((model) => modelFor(model, margin));
    const { autoModels } = gw.settings;
    const auto = autoModel(own.filter(({ id }) => autoModels.includes(id)));
    const data = (auto ? [auto, ...own] : own).map(offeredModel);
    const ids = new Set(data.map(({ id }) => id));
    const vendors: Offered['vendors'] = {};
    for (const { vendor } of data) vendors[vendor] ??= { fa: makerName(vendor, 'fa'), en: makerName(vendor, 'en') };
    return {
      object: 'list' as const,
      data,
      groups: [...groups.values()]
        .map((group) => ({
          id: group.id,
          name: group.name,
          name_fa: group.nameFa ?? null,
          models: [...group.models].filter((id) => ids.has(id)),
        }))
        .filter((group) => group.models.length > 0),
      vendors,
    };
  });
}

const UNITS = { characters: 'thousand_characters', seconds: 'minute', searches: 'search', images: 'image' } as const;

function offeredModel(model: Model): Offered['data'][number] {
  const main = mainBucket(model);
  const text = (bucket: typeof main) => {
    const line = lineOf(model.price, bucket);
    return line === undefined ? null : toTomanText(line.amount);
  };
  const unit = main in UNITS ? UNITS[main as keyof typeof UNITS] : 'million_tokens';
  return {
    id: model.id,
    name: model.name,
    name_fa: model.nameFa ?? null,
    vendor: model.vendor,
    kind: model.kind,
    context: model.context ?? null,
    capabilities: [...model.capabilities].sort(),
    input: unit === 'million_tokens' ? text('inputFresh') : null,
    output: main === 'inputFresh' ? null : text(main),
    per: unit,
    withdrawn_from: model.withdrawnFromMs === undefined ? null : new Date(model.withdrawnFromMs).toISOString(),
    data_policies: policiesOf(model),
    simulated: model.simulated,
    popular: model.categories.includes('popular'),
  };
}
