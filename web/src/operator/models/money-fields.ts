/** A price as the page shows it: its plain fields, and its tiers apart. */
export interface ShownTier {
  above: number;
}

export type Prices = Record<string, string>;

export function fieldsOf(price: object): Prices {
  return Object.fromEntries(
    Object.entries(price).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

export function tiersOf(price: { tiers?: ShownTier[] }): { above: number; fields: Prices }[] {
  return (price.tiers ?? []).map((tier) => ({ above: tier.above, fields: fieldsOf(tier) }));
}

export function partsOf(id: string): { vendor: string; model: string } {
  const cut = id.indexOf('/');
  return { vendor: id.slice(0, cut), model: id.slice(cut + 1) };
}

/** What is read again after any change of prices. */
export const STALE = [
  'GET /api/admin/models',
  'GET /api/admin/models/:vendor/:model/prices',
  'GET /api/admin/settings',
  'GET /api/admin/pricing',
  'GET /api/admin/pricing/rate-source',
  'GET /api/admin/selling',
  'GET /api/admin/models/:vendor/:model/uses',
];
