/**
 * The catalog as anonymous readers and customers see it. What is priced by an unconfirmed rate and margin is not for
 * sale, and its price is not shown.
 */
import { OPERATOR_ACCOUNT } from '../core/operator-account.ts';
import type { CatalogSnapshot, Group, Model } from './model.ts';

const known = new WeakMap<CatalogSnapshot, CatalogSnapshot>();

/** Returns the same object for the same snapshot, because pages are cached by it. */
export function catalogForSale(catalog: CatalogSnapshot): CatalogSnapshot {
  const made = known.get(catalog) ?? withoutUnsold(catalog);
  known.set(catalog, made);
  return made;
}

/** The operator's own account tries models before they are sold. */
export function isShownTo(model: Model, accountId: string): boolean {
  return model.notForSale !== true || accountId === OPERATOR_ACCOUNT;
}

function withoutUnsold(catalog: CatalogSnapshot): CatalogSnapshot {
  const models = new Map([...catalog.models].filter(([, model]) => model.notForSale !== true));
  if (models.size === catalog.models.size) return catalog;
  const groups = new Map<string, Group>();
  for (const [id, group] of catalog.groups) {
    const members = [...group.models].filter((model) => models.has(model));
    const defaultModel = models.has(group.defaultModel) ? group.defaultModel : members[0];
    if (defaultModel !== undefined) groups.set(id, { ...group, defaultModel, models: new Set(members) });
  }
  return { ...catalog, models, groups };
}
