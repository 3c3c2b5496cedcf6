/**
 * How something leaves the catalog: active, draining (no new request; what runs ends), off, retired (hidden, while
 * receipts keep the name), and deleted only when it was never used.
 */
import { CATALOG_STATES, type CatalogState } from '@dargah/core/catalog-terms.ts';
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { RowState } from '../catalog-rows.ts';
import { catalogReasons } from '../reasons.ts';
import { conflict } from './change.ts';
import type { RouteKey } from './route-rows.ts';
import * as rows from './use-rows.ts';

/** The version before writes `enabled`; a row that it switched off has no state of its own. */
export function stateOf({ enabled = true, state }: { enabled?: boolean; state: RowState | null }): CatalogState {
  if (enabled) return state ?? 'active';
  return state ?? 'off';
}

/** For the audit log: `enabled` alone says whether it is on or off. */
export function tracedState(row: { enabled: boolean; state: RowState | null }): JsonObject {
  const state = stateOf(row);
  return { enabled: row.enabled, ...((state === 'draining' || state === 'retired') && { state }) };
}

/** The state as it is stored; null means in use. */
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

export async function refuseUsedProvider(tx: Queryable, id: string): Promise<void> {
  const noted = await rows.NOTED_USE_OF_PROVIDER.first(tx, [id]);
  const used = noted ?? (await rows.LOGGED_USE_OF_PROVIDER.first(tx, [id]));
  if (used) throw conflict(catalogReasons.usedBefore);
}

export async function isModelUsed(tx: Queryable, id: string): Promise<boolean> {
  return (await rows.USE_OF_MODEL.first(tx, [id])) !== undefined;
}

export async function refuseUsedModel(tx: Queryable, id: string): Promise<void> {
  if (await isModelUsed(tx, id)) throw conflict(catalogReasons.usedBefore);
}

export async function isRouteUsed(tx: Queryable, { model, provider, upstream }: RouteKey): Promise<boolean> {
  if (await rows.NOTED_USE_OF_ROUTE.first(tx, [model, provider, upstream])) return true;
  return (await rows.LOGGED_USE_OF_ROUTE.first(tx, [model, provider])) !== undefined;
}
