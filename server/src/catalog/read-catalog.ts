/** The one read that a snapshot of the catalog is built from. */
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../platform/db/index.ts';
import {
  ALL_PROVIDERS,
  CATALOG_MODELS,
  CATALOG_ROUTES,
  type CredentialRow,
  type GroupRow,
  type ModelRow,
  PROVED,
  PROVIDER_CREDENTIALS,
  type ProvedRow,
  type ProviderRow,
  type RouteRow,
  selectGroups,
} from './catalog-rows.ts';
import { announcedPrices, currentPrices, type PriceRow } from './prices/price-rows.ts';
import { isConfirmed, readSelling } from './prices/selling.ts';
import { STOPPING_RATE_SOURCE } from './prices/term-rows.ts';

export interface CatalogRows {
  providers: ProviderRow[];
  credentials: CredentialRow[];
  models: ModelRow[];
  routes: RouteRow[];
  /** For each model the version in force, and the announced ones. */
  prices: PriceRow[];
  groups: GroupRow[];
  proved?: ProvedRow[];
  /**
   * From this time on no model that is priced by an exchange rate is offered, because the rate could not be read for
   * too long.
   */
  ratesStopAtMs?: number | undefined;
  /** True when a person or the file has confirmed the rate and the margin of the prices. */
  sellingConfirmed?: boolean;
}

/** Reads a consistent view when `db` is a transaction. A few hundred rows are cheap enough to read every time. */
export async function readCatalogRows(db: Queryable, nowMs: number): Promise<CatalogRows> {
  return {
    providers: await ALL_PROVIDERS.rows(db),
    credentials: await PROVIDER_CREDENTIALS.rows(db, [null]),
    models: await CATALOG_MODELS.rows(db, [null]),
    routes: await CATALOG_ROUTES.rows(db, [null]),
    prices: [...(await currentPrices(db, nowMs)), ...(await announcedPrices(db, nowMs))],
    groups: await selectGroups(db),
    proved: await PROVED.rows(db),
    ratesStopAtMs: await rateStopsAt(db),
    sellingConfirmed: isConfirmed(await readSelling(db)),
  };
}

/** When models priced by the exchange rate stop being offered, because it could not be read for too long. Undefined: never. */
async function rateStopsAt(db: Queryable): Promise<number | undefined> {
  const row = await STOPPING_RATE_SOURCE.first(db);
  return row && row.ok_at.getTime() + row.stale_hours * HOUR_MS;
}
