/** Prices, as operators set them: always a new version, now or announced for later; the past is never rewritten. */
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { judgePrice } from '../price-bounds.ts';
import { type Rates, ratesFromText, ratesToText } from '../price-fields.ts';
import { readPrice } from '../reading/index.ts';
import { type PriceRow, pricesOf } from '../rows.ts';
import { type AdminTools, change, readBody, refuseConfigManaged } from './change.ts';
import { findModel } from './find-model.ts';
import { priceView } from './views.ts';

export interface PriceAdmin {
  /**
   * `{price: {input, output, …} in toman per million, effective_at?}`. Fields that are not given stay as they are in the price
   * that would be in force then; null takes one away. The answer carries warnings about odd prices.
   */
  set(modelId: string, body: Json, actor: string): Promise<{ price: JsonObject; warnings: string[] }>;
  /** Newest first, announced ones included. */
  history(modelId: string, limit?: number): Promise<JsonObject[]>;
  /** The price set by hand no longer stands: the next refresh of the catalog may follow its list again. */
  unpin(modelId: string, actor: string): Promise<JsonObject>;
}

const MAX_HISTORY = 200;

export function createPriceAdmin(tools: AdminTools): PriceAdmin {
  return {
    async set(modelId, body, actor) {
      return change(tools, { actor, action: 'price.set', subject: modelId }, async (tx, now) => {
        const model = await findModel(tx, modelId);
        refuseConfigManaged(model);
        const merged = await withPresent(tx, modelId, body, now);
        const { rates, effectiveText } = readBody(merged, (fields) => {
          const effectiveText = fields.text('effective_at');
          const rates = fields.need('price') ? readPrice(fields.child('price'), model.kind) : undefined;
          return rates && { rates, effectiveText };
        });
        const effectiveAt = effectiveText === undefined ? now : readFuture(effectiveText, now);
        const version = await insertPrice(tx, { modelId, rates, effectiveAt, now }, tools.randomBytes);
        const row = (await pricesOf(tx, modelId, MAX_HISTORY)).find((price) => price.version === version);
        const warnings = judgePrice(rates, model.kind).warnings.map(
          ({ field, message }) => `${field ?? 'price'} ${message}`,
        );
        return { price: row ? priceView(row) : {}, warnings };
      });
    },
    unpin: (modelId, actor) =>
      change(tools, { actor, action: 'price.unpin', subject: modelId }, async (tx, now) => {
        refuseConfigManaged(await findModel(tx, modelId));
        const present = inForceAt(await pricesOf(tx, modelId, MAX_HISTORY), now);
        if (present?.source !== 'operator') throw notPinned();
        const { per_unit, per_request } = present;
        const rates = ratesFromText(per_unit, per_request);
        const entry = { modelId, rates, effectiveAt: now, now, source: 'catalog' as const };
        const version = await insertPrice(tx, entry, tools.randomBytes);
        const row = (await pricesOf(tx, modelId, MAX_HISTORY)).find((price) => price.version === version);
        return row ? priceView(row) : {};
      }),
    async history(modelId, limit = 50) {
      const rows = await pricesOf(tools.db, modelId, Math.min(Math.max(1, limit), MAX_HISTORY));
      return rows.map(priceView);
    },
  };
}

/** The body with every field of the price that it does not name, as that stands when the new one comes into force. */
async function withPresent(tx: Queryable, modelId: string, body: Json, now: Date): Promise<Json> {
  if (!isJsonObject(body) || !isJsonObject(body['price'])) return body;
  const { effective_at: text } = body;
  const at = typeof text === 'string' && !Number.isNaN(Date.parse(text)) ? new Date(text) : now;
  const present = inForceAt(await pricesOf(tx, modelId, MAX_HISTORY), at);
  const known = present ? (priceView(present)['price'] as JsonObject) : {};
  const price = Object.fromEntries(
    Object.entries({ ...known, ...body['price'] }).filter(([, value]) => value !== null),
  );
  return { ...body, price };
}

/** `prices` newest first. */
function inForceAt(prices: PriceRow[], at: Date): PriceRow | undefined {
  return prices.find(({ effective_at }) => effective_at <= at);
}

function notPinned(): GatewayError {
  return new GatewayError('conflict', {
    reason: reasons.custom('این قیمت دستی تعیین نشده است.', 'This price was not set by hand.'),
  });
}

function readFuture(text: string, now: Date): Date {
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : undefined;
  if (at && !Number.isNaN(at.getTime()) && at >= now) return at;
  throw invalidRequest(
    'effective_at',
    reasons.custom(
      'باید زمانی در آینده مانند «2027-03-21T00:00:00+03:30» باشد.',
      'It must be a future time such as 2027-03-21T00:00:00+03:30.',
    ),
  );
}

interface NewPrice {
  modelId: string;
  rates: Rates;
  effectiveAt: Date;
  now: Date;
  /** `operator` unless told. */
  source?: 'operator' | 'catalog';
}

export async function insertPrice(
  tx: Queryable,
  { modelId, rates, effectiveAt, now, source = 'operator' }: NewPrice,
  randomBytes: RandomBytes,
): Promise<string> {
  const version = makeId('price', now.getTime(), randomBytes);
  await tx.query(
    `insert into price (version, model_id, per_unit, per_request, effective_at, source, created_at)
     values ($1, $2, $3::jsonb, $4, $5, $7, $6)`,
    [version, modelId, JSON.stringify(ratesToText(rates)), rates.perRequest.toString(), effectiveAt, now, source],
  );
  return version;
}
