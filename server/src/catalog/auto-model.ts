/**
 * `auto` as lists of models show it: the capabilities of all its models, at the price of the most expensive of them.
 */
import { AUTO_MODEL } from '@dargah/core/auto-router.ts';
import { unitPrice } from '../core/price.ts';
import type { Model } from './model.ts';

/** Undefined where none of its models is available. */
export function autoModel(models: readonly Model[]): Model | undefined {
  const [first, ...others] = models;
  if (first === undefined) return undefined;
  const mostExpensive = others.reduce((a, b) => (priceRank(b) > priceRank(a) ? b : a), first);
  const contexts = models.map(({ context }) => context ?? 0);
  return {
    id: AUTO_MODEL,
    vendor: AUTO_MODEL,
    name: 'Auto router',
    nameFa: 'مسیریاب خودکار',
    kind: 'chat',
    // The policy is that of the model that answers, so the policies of all are shown.
    routes: models.flatMap(({ routes }) => routes),
    price: mostExpensive.price,
    context: Math.max(...contexts) || undefined,
    maxOutput: undefined,
    capabilities: new Set(models.flatMap(({ capabilities }) => [...capabilities])),
    categories: [],
    created: Math.max(...models.map(({ created }) => created)),
    hedge: false,
    simulated: models.every(({ simulated }) => simulated),
  };
}

function priceRank({ price }: Model): number {
  return Number(unitPrice(price, 'inputFresh')) * 3 + Number(unitPrice(price, 'output'));
}
