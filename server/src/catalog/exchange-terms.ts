/** The exchange rate and margin in force: the file's, else what the operator set last, else the defaults. */
import type { Queryable } from '../platform/db/index.ts';
import type { ExchangeTerms } from './toman-price.ts';

/** What the YAML file names; it wins over what the operator set. */
export interface FileTerms {
  exchangeRate: string | undefined;
  margin: string | undefined;
}

/** Operator settings of these names, each a decimal text; start-up reads the same ones. */
const RATE = 'exchange_rate';
const MARGIN = 'margin';

export async function termsInForce(db: Queryable, file: FileTerms, defaults: ExchangeTerms): Promise<ExchangeTerms> {
  const rows = await db.query<{ key: string; text: string }>(
    `select key, value #>> '{}' as text from setting where key in ('${RATE}', '${MARGIN}')`,
  );
  const stored = new Map(rows.map(({ key, text }) => [key, text]));
  return {
    exchangeRate: file.exchangeRate ?? stored.get(RATE) ?? defaults.exchangeRate,
    margin: file.margin ?? stored.get(MARGIN) ?? defaults.margin,
  };
}

export async function storeTerms(tx: Queryable, { exchangeRate, margin }: ExchangeTerms, now: Date): Promise<void> {
  await tx.query(
    `insert into setting (key, value, updated_at)
     values ('${RATE}', to_jsonb($1::text), $3), ('${MARGIN}', to_jsonb($2::text), $3)
     on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [exchangeRate, margin, now],
  );
}
