/** The exchange rate and margin in force: the file's, else what the operator set last, else the defaults. */
import type { Queryable } from '../platform/db/index.ts';
import { type ExchangeTerms, isDecimalText } from './toman-price.ts';

const SETTING = 'exchange_terms';

interface StoredTerms {
  exchange_rate: string | null;
  margin: string | null;
}

export async function termsInForce(
  db: Queryable,
  file: { exchangeRate: string | undefined; margin: string | undefined },
  defaults: ExchangeTerms,
): Promise<ExchangeTerms> {
  const [stored] = await db.query<StoredTerms>(
    `select value ->> 'exchange_rate' as exchange_rate, value ->> 'margin' as margin from setting where key = $1`,
    [SETTING],
  );
  return {
    exchangeRate: file.exchangeRate ?? stored?.exchange_rate ?? defaults.exchangeRate,
    margin: file.margin ?? stored?.margin ?? defaults.margin,
  };
}

export async function storeTerms(tx: Queryable, { exchangeRate, margin }: ExchangeTerms, now: Date): Promise<void> {
  if (!isDecimalText(exchangeRate) || !isDecimalText(margin))
    throw new RangeError('exchange terms must be plain decimals');
  await tx.query(
    `insert into setting (key, value, updated_at) values ($1, $2::jsonb, $3)
     on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [SETTING, JSON.stringify({ exchange_rate: exchangeRate, margin }), now],
  );
}
