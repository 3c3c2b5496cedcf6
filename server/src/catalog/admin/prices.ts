/** Prices, as operators set them: always a new version, now or announced for later; the past is never rewritten. */
import { invalidRequest } from '../../core/errors.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { judgePrice } from '../price-bounds.ts';
import { type Rates, ratesToText } from '../price-fields.ts';
import { readPrice } from '../reading/index.ts';
import { pricesOf } from '../rows.ts';
import { type AdminTools, change, readBody, refuseConfigManaged } from './change.ts';
import { findModel } from './find-model.ts';
import { priceView } from './views.ts';

export interface PriceAdmin {
  /** `{price: {input, output, …} in toman per million, effective_at?}`. The answer carries warnings about odd prices. */
  set(modelId: string, body: Json, actor: string): Promise<{ price: JsonObject; warnings: string[] }>;
  /** Newest first, announced ones included. */
  history(modelId: string, limit?: number): Promise<JsonObject[]>;
}

const MAX_HISTORY = 200;

export function createPriceAdmin(tools: AdminTools): PriceAdmin {
  return {
    async set(modelId, body, actor) {
      return change(tools, { actor, action: 'price.set', subject: modelId }, async (tx, now) => {
        const model = await findModel(tx, modelId);
        refuseConfigManaged(model);
        const { rates, effectiveText } = readBody(body, (fields) => {
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
    async history(modelId, limit = 50) {
      const rows = await pricesOf(tools.db, modelId, Math.min(Math.max(1, limit), MAX_HISTORY));
      return rows.map(priceView);
    },
  };
}

function readFuture(text: string, now: Date): Date {
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : undefined;
  if (at && !Number.isNaN(at.getTime()) && at >= now) return at;
  throw invalidRequest(
    'effective_at',
    reasons.custom(
      'باید زمانی در آینده مانند 2027-03-21T00:00:00+03:30 باشد.',
      'It must be a future time such as 2027-03-21T00:00:00+03:30.',
    ),
  );
}

interface NewPrice {
  modelId: string;
  rates: Rates;
  effectiveAt: Date;
  now: Date;
}

export async function insertPrice(
  tx: Queryable,
  { modelId, rates, effectiveAt, now }: NewPrice,
  randomBytes: RandomBytes,
): Promise<string> {
  const version = makeId('price', now.getTime(), randomBytes);
  await tx.query(
    `insert into price (version, model_id, per_unit, per_request, effective_at, source, created_at)
     values ($1, $2, $3::jsonb, $4, $5, 'operator', $6)`,
    [version, modelId, JSON.stringify(ratesToText(rates)), rates.perRequest.toString(), effectiveAt, now],
  );
  return version;
}
