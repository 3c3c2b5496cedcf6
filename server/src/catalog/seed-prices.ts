/** New price versions, only where the price changed. A price the operator set stands until the YAML file names another. */
import { makeId } from '../core/ids.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { DeclaredModel } from './declared.ts';
import type { Managed } from './desired.ts';
import { ratesFromText, ratesToText, sameRates } from './price-fields.ts';
import { currentPrices } from './rows.ts';
import type { SeedTools } from './seed-tools.ts';

export async function seedPrices(
  tx: Queryable,
  models: Managed<DeclaredModel>[],
  { clock, randomBytes }: Pick<SeedTools, 'clock' | 'randomBytes'>,
): Promise<number> {
  const now = clock.now();
  const current = new Map((await currentPrices(tx, now)).map((row) => [row.model_id, row]));
  const changed = models.filter((model) => {
    const known = current.get(model.id);
    if (!known) return true;
    if (known.source === 'operator' && model.managedBy !== 'config') return false;
    return !sameRates(model.rates, ratesFromText(known.per_unit, known.per_request));
  });
  const rows = changed.map((model) => ({
    version: makeId('price', now, randomBytes),
    model_id: model.id,
    per_unit: ratesToText(model.rates),
    per_request: model.rates.perRequest.toString(),
    source: model.managedBy,
  }));
  await tx.query(
    `insert into price (version, model_id, per_unit, per_request, source, effective_at, created_at)
     select r.*, to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000)
     from jsonb_to_recordset($1::jsonb) as r(version text, model_id text, per_unit jsonb, per_request bigint, source text)`,
    [JSON.stringify(rows), now],
  );
  return rows.length;
}
