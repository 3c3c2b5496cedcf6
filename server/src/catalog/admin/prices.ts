/** How operators set prices: always as a new version, now or announced for later; the past is never rewritten. */

import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { makeShortId, type RandomBytes } from '../../core/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { difference } from '../../platform/audit-log.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { readAccountVersion } from '../prices/account-price.ts';
import { judgePrice } from '../prices/price-bounds.ts';
import { type Rates, ratesToText } from '../prices/price-fields.ts';
import {
  COPY_PRICE,
  INSERT_OPERATOR_PRICE,
  type PriceRow,
  priceByVersion,
  pricesOf,
  WITHDRAW_PRICE,
  withdrawListPrices,
} from '../prices/price-rows.ts';
import { readPrice } from '../reading/index.ts';
import { catalogReasons } from '../reasons.ts';
import { type DatedSources, lockSeeding, seedWithin } from '../seed/seed.ts';
import { type AdminTools, change, notFound, readBody, refuseConfigManaged } from './change.ts';
import { findModel } from './find-model.ts';
import { type PriceView, priceView, ratesView } from './views.ts';

/** A price as a receipt names it: an account may have a margin of its own. */
type PriceOrigin = Omit<PriceView, 'margin_layer'> & { margin_layer: PriceView['margin_layer'] | 'account' };

export interface PriceAdmin {
  /**
   * The body is `{price: {input, output, …} in toman per million, effective_at?}`. Absent fields stay as they are in
   * the price that would be in force then; null removes one. The answer carries warnings about odd prices.
   */
  set(modelId: string, body: Json, actor: string): Promise<{ price: PriceView; warnings: string[] }>;
  /** Newest first, announced ones included. */
  history(modelId: string, limit?: number): Promise<PriceView[]>;
  /** Ends a price that was set by hand: from now on it follows the list, the rate and the margins again. */
  unpin(modelId: string, actor: string): Promise<PriceView>;
  /** Withdraws an announced price before its date; what would be announced without it is announced again. */
  withdraw(modelId: string, version: string, actor: string): Promise<PriceView>;
  /** How the price of a receipt was made; undefined for an unknown version. */
  origin(version: string): Promise<PriceOrigin | undefined>;
}

const MAX_HISTORY = 200;

export function createPriceAdmin(tools: AdminTools, dated: DatedSources): PriceAdmin {
  return {
    async set(modelId, body, actor) {
      return change(tools, { actor, action: 'price.set', subject: modelId }, async (tx, now, note) => {
        const model = await findModel(tx, modelId);
        refuseConfigManaged(model);
        const merged = await withPresent(tx, modelId, body, now);
        const { rates, effectiveText } = readBody(merged, (fields) => {
          const effectiveText = fields.text('effective_at');
          const rates = fields.need('price') ? readPrice(fields.child('price'), model.kind) : undefined;
          return rates && { rates, effectiveText };
        });
        const effectiveAt = effectiveText === undefined ? now : readFuture(effectiveText, now);
        const present = inForceAt(await pricesOf(tx, modelId, MAX_HISTORY), now);
        const version = await insertPrice(tx, { modelId, rates, effectiveAt, now }, tools.randomBytes);
        await withdrawListPrices(tx, modelId, effectiveAt, now);
        const rows = await pricesOf(tx, modelId, MAX_HISTORY);
        const row = rows.find((price) => price.version === version);
        note(difference(tracedPrice(present), tracedPrice(row)));
        const warnings = judgePrice(rates, model.kind).warnings.map(
          ({ field, message }) => `${field ?? 'price'} ${message}`,
        );
        if (!row) throw notFound('price', version);
        return { price: priceView(row), warnings };
      });
    },
    unpin: (modelId, actor) =>
      change(tools, { actor, action: 'price.unpin', subject: modelId }, async (tx, now, note) => {
        refuseConfigManaged(await findModel(tx, modelId));
        const present = inForceAt(await pricesOf(tx, modelId, MAX_HISTORY), now);
        if (present?.source !== 'operator') throw notPinned();
        await lockSeeding(tx);
        await unpinWithin(tx, tools, dated, modelId, now);
        const row = inForceAt(await pricesOf(tx, modelId, MAX_HISTORY), now);
        note(difference(tracedPrice(present), tracedPrice(row)));
        if (!row) throw notFound('price', modelId);
        return priceView(row);
      }),
    withdraw: (modelId, version, actor) =>
      change(tools, { actor, action: 'price.withdraw', subject: modelId, detail: { version } }, async (tx, now) => {
        const row = (await pricesOf(tx, modelId, MAX_HISTORY)).find((price) => price.version === version);
        if (!row) throw notFound('price', version);
        if (row.effective_at <= now || row.source !== 'operator') throw notWithdrawable();
        await lockSeeding(tx);
        await WITHDRAW_PRICE.run(tx, [version, now]);
        // The price that the list had announced for later is announced again, unless another price set by hand forbids it.
        await seedWithin(tx, tools, dated, true);
        return priceView(row);
      }),
    async origin(version) {
      const { listVersion, margin } = readAccountVersion(version);
      const row = await priceByVersion(tools.db, listVersion);
      if (!row) return undefined;
      const ofAccount = margin === undefined ? {} : { margin, margin_layer: 'account' as const };
      return { ...priceView(row), ...ofAccount };
    },
    async history(modelId, limit = 50) {
      const rows = await pricesOf(tools.db, modelId, Math.min(Math.max(1, limit), MAX_HISTORY));
      return rows.map(priceView);
    },
  };
}

/** A part of a larger change; the caller holds the lock. */
export async function unpinWithin(
  tx: Queryable,
  tools: AdminTools,
  dated: DatedSources,
  modelId: string,
  now: Date,
): Promise<void> {
  await seedWithin(tx, tools, dated, true, modelId);
  // A model without a list price keeps its present price, as one that a later list may replace.
  const followed = inForceAt(await pricesOf(tx, modelId, MAX_HISTORY), now);
  if (followed?.source === 'operator') await copyPrice(tx, followed, now, tools.randomBytes);
}

/**
 * The body, completed with every field that it does not name, from the price that would be in force when it comes into
 * force.
 */
async function withPresent(tx: Queryable, modelId: string, body: Json, now: Date): Promise<Json> {
  if (!isJsonObject(body) || !isJsonObject(body['price'])) return body;
  const { effective_at: text } = body;
  const at = typeof text === 'string' && !Number.isNaN(Date.parse(text)) ? new Date(text) : now;
  const present = inForceAt(await pricesOf(tx, modelId, MAX_HISTORY), at);
  const known: JsonObject = present ? ratesView(present) : {};
  const price = Object.fromEntries(
    Object.entries({ ...known, ...body['price'] }).filter(([, value]) => value !== null),
  );
  return { ...body, price };
}

/** `prices` must be newest first. */
export function inForceAt(prices: PriceRow[], at: Date): PriceRow | undefined {
  return prices.find(({ effective_at }) => effective_at <= at);
}

function notPinned(): GatewayError {
  return new GatewayError('conflict', {
    reason: catalogReasons.priceNotByHand,
  });
}

function notWithdrawable(): GatewayError {
  return new GatewayError('conflict', {
    reason: catalogReasons.priceNotAnnounced,
  });
}

/** The fields of a price that the audit log shows. */
function tracedPrice(row: PriceRow | undefined): JsonObject {
  return row === undefined
    ? {}
    : { ...ratesView(row), effective_at: row.effective_at.toISOString(), pinned: row.source === 'operator' };
}

export function readFuture(text: string, now: Date): Date {
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : undefined;
  if (at && !Number.isNaN(at.getTime()) && at >= now) return at;
  throw invalidRequest('effective_at', catalogReasons.mustBeFuture);
}

interface NewPrice {
  modelId: string;
  rates: Rates;
  effectiveAt: Date;
  now: Date;
}

async function copyPrice(tx: Queryable, row: PriceRow, now: Date, randomBytes: RandomBytes): Promise<void> {
  await COPY_PRICE.run(tx, [row.version, makeShortId('price', now.getTime(), randomBytes), now]);
}

export async function insertPrice(
  tx: Queryable,
  { modelId, rates, effectiveAt, now }: NewPrice,
  randomBytes: RandomBytes,
): Promise<string> {
  const version = makeShortId('price', now.getTime(), randomBytes);
  const text = ratesToText(rates);
  await INSERT_OPERATOR_PRICE.run(tx, [
    version,
    modelId,
    JSON.stringify(text.per_unit),
    text.per_request,
    JSON.stringify(text.tiers),
    effectiveAt,
    now,
    text.terms ? JSON.stringify(text.terms) : null,
  ]);
  return version;
}
