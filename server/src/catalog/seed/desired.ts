/**
 * Everything that start-up puts into the catalog, from all sources. What the operator's file declares overrides what we
 * ship.
 */

import type { Rates } from '../prices/price-fields.ts';
import type { PricingTerms } from '../prices/pricing-terms.ts';
import type { Declaration, DeclaredGroup, DeclaredModel, DeclaredProvider, ManagedBy } from './declared.ts';
import { defaultGroups } from './default-groups.ts';
import type { FoundServer } from './discover.ts';
import type { ListedModel } from './listed-model.ts';
import { sandboxDeclaration } from './sandbox-models.ts';
import { declareProvider, localModels, modelsServedBy, switchedOnProviders } from './switched-on.ts';
import type { Environment } from './vendor-address.ts';

export type Managed<T> = T & { managedBy: Exclude<ManagedBy, 'operator'> };

export interface DesiredCatalog {
  providers: Managed<DeclaredProvider>[];
  models: Managed<DeclaredModel>[];
  groups: Managed<DeclaredGroup>[];
}

export interface SeedSources {
  env: Environment;
  terms: PricingTerms;
  /** From the YAML file; empty lists without one. */
  config: Declaration;
  /** Servers found on this machine. */
  found: FoundServer[];
  /** The price of their models. */
  localRates: Rates;
  sandbox: boolean;
  /** Replaces the shipped price list. */
  listed?: readonly ListedModel[] | undefined;
  /** Models for which the operator has made routes; those of them that are listed are priced by the list. */
  chosen?: ReadonlySet<string> | undefined;
}

export function desiredCatalog({
  env,
  terms,
  config,
  found,
  localRates,
  sandbox,
  listed,
  chosen,
}: SeedSources): DesiredCatalog {
  const keyed = switchedOnProviders(env);
  const local = found.map(({ vendor, baseUrl }) => declareProvider(vendor, baseUrl, []));
  const simulators: Declaration = sandbox ? sandboxDeclaration() : { providers: [], models: [], groups: [] };

  const providers = firstOfEachId<Managed<DeclaredProvider>>([
    managed(config.providers, 'config'),
    managed([...keyed, ...local], 'environment'),
    managed(simulators.providers, 'catalog'),
  ]);
  const models = firstOfEachId<Managed<DeclaredModel>>([
    managed(config.models, 'config'),
    managed([...modelsServedBy(keyed, { env, terms, list: listed, chosen }), ...simulators.models], 'catalog'),
    managed(localModels(found, localRates), 'environment'),
  ]);
  const groups = firstOfEachId<Managed<DeclaredGroup>>([
    managed(config.groups, 'config'),
    managed(defaultGroups(models), 'catalog'),
  ]);
  return { providers, models, groups };
}

function managed<T>(items: T[], managedBy: Managed<T>['managedBy']): Managed<T>[] {
  return items.map((item) => ({ ...item, managedBy }));
}

function firstOfEachId<T extends { id: string }>(lists: T[][]): T[] {
  const kept = new Map<string, T>();
  for (const item of lists.flat()) if (!kept.has(item.id)) kept.set(item.id, item);
  return [...kept.values()];
}
