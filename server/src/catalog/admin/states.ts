/**
 * The way out of the catalog: active, draining (no new request; what runs ends), off, retired (hidden, while receipts keep the
 * name), and deleted only what was never used.
 */
import { CATALOG_STATES, type CatalogState } from '@dargah/core/catalog-terms.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { catalogReasons } from '../reasons.ts';
import type { RowState } from '../rows.ts';
import { conflict } from './change.ts';
import type { RouteKey } from './route-rows.ts';

/** `enabled` is what the version before writes; a row that it switched off has no state of its own. */
export function stateOf({ enabled = true, state }: { enabled?: boolean; state: RowState | null }): CatalogState {
  if (enabled) return state ?? 'active';
  return state ?? 'off';
}

/** For the trail: on and off are told by `enabled` alone. */
export function tracedState(row: { enabled: boolean; state: RowState | null }): JsonObject {
  const state = stateOf(row);
  return { enabled: row.enabled, ...((state === 'draining' || state === 'retired') && { state }) };
}

/** As it is kept; null: in use. */
export function nextState(present: CatalogState, wanted: CatalogState): RowState | null {
  if (wanted === 'retired' && present === 'active') throw conflict(catalogReasons.stillInUse);
  return wanted === 'active' ? null : wanted;
}

/** Takes the operator's switch out of a body; `enabled` is the short form of active and off. */
export function takeState(body: Json): { wanted: CatalogState | undefined; rest: JsonObject } {
  if (!isJsonObject(body)) throw invalidRequest('body', reasons.mustBe('body', expected.jsonObject));
  const { enabled, state, ...rest } = body;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    throw invalidRequest('enabled', reasons.mustBe('enabled', expected.flag));
  const named = CATALOG_STATES.find((one) => one === state);
  if (state !== undefined && named === undefined)
    throw invalidRequest(
      'state',
      reasons.mustBe('state', expected.either(...CATALOG_STATES.map((one) => ({ fa: `«${one}»`, en: one })))),
    );
  if (named !== undefined) return { wanted: named, rest };
  return { wanted: enabled === undefined ? undefined : enabled ? 'active' : 'off', rest };
}

/**
 * Since 0.2.0 use is noted where it happens; before, what it cost stands in its book. Only what 0.1.0 used at an unknown cost is to be
 * looked for in the log, of which no index knows the provider: among its newest requests. A failed row names who was asked in vain.
 */
const NEWEST_REQUESTS = '(select provider, model, state from request_log order by id desc limit 100000) as newest';

export async function refuseUsedProvider(tx: Queryable, id: string): Promise<void> {
  const [noted] = await tx.query(
    `select 1 from provider where id = $1 and last_used_at is not null
     union all select 1 from ledger_account where id = 'provider:' || $1 limit 1`,
    [id],
  );
  const used =
    noted ??
    (await tx.query(`select 1 from ${NEWEST_REQUESTS} where provider = $1 and state <> 'failed' limit 1`, [id]))[0];
  if (used) throw conflict(catalogReasons.usedBefore);
}

export async function isModelUsed(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query('select 1 from usage_daily where model = $1 limit 1', [id])).length > 0;
}

export async function refuseUsedModel(tx: Queryable, id: string): Promise<void> {
  if (await isModelUsed(tx, id)) throw conflict(catalogReasons.usedBefore);
}

export async function isRouteUsed(tx: Queryable, { model, provider, upstream }: RouteKey): Promise<boolean> {
  const noted = await tx.query(
    'select 1 from route where model_id = $1 and provider_id = $2 and upstream_model = $3 and last_used_at is not null',
    [model, provider, upstream],
  );
  if (noted.length > 0) return true;
  const rows = await tx.query(
    `select 1 from ${NEWEST_REQUESTS} where provider = $2 and model = $1 and state <> 'failed' limit 1`,
    [model, provider],
  );
  return rows.length > 0;
}
