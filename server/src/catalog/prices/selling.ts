/**
 * Whether anything may be sold by the exchange rate and the margin in force. They begin as defaults of the software, which no
 * business can live on, so a person confirms both once, or the file fixes both. A price written in toman needs neither.
 */
import type { Json } from '../../core/json.ts';
import type { Queryable } from '../../platform/db/index.ts';

const SELLING_SETTING = 'selling';

/** `carried`: an installation that had charged somebody before this was asked; its operator is told to look again. */
export type SellingSource = 'person' | 'file' | 'carried';

export interface Selling {
  /** Null: nobody has confirmed yet. */
  source: SellingSource | null;
  rate: string | null;
  margin: string | null;
  by: string | null;
  /** ISO time. */
  at: string | null;
}

export const UNCONFIRMED: Selling = { source: null, rate: null, margin: null, by: null, at: null };

/** Undefined where no start of this version has decided yet; what was sold before goes on being sold until it has. */
export async function readSelling(db: Queryable): Promise<Selling | undefined> {
  const [row] = await db.query<{ value: Json }>('select value from setting where key = $1', [SELLING_SETTING]);
  return row === undefined ? undefined : (row.value as unknown as Selling);
}

export function isConfirmed(selling: Selling | undefined): boolean {
  return selling === undefined || selling.source !== null;
}

export async function writeSelling(tx: Queryable, selling: Selling, now: Date): Promise<void> {
  await tx.query(
    `insert into setting (key, value, updated_at) values ($1, $2::jsonb, $3)
     on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [SELLING_SETTING, JSON.stringify(selling), now],
  );
}

/**
 * At every start, after the tables are there: the first start of this version decides how things stand, and a file that fixes both
 * confirms them, also for the day on which it no longer does.
 */
export async function settleSelling(
  tx: Queryable,
  file: { exchangeRate: string | undefined; margin: string | undefined },
  now: Date,
): Promise<void> {
  const known = await readSelling(tx);
  if (known?.source) return;
  const { exchangeRate, margin } = file;
  if (exchangeRate !== undefined && margin !== undefined) {
    await writeSelling(tx, { source: 'file', rate: exchangeRate, margin, by: 'file', at: now.toISOString() }, now);
  } else if (known === undefined) {
    const [charged] = await tx.query<{ one: number }>('select 1 as one from usage_daily where cost > 0 limit 1');
    const carried: Selling = { source: 'carried', rate: null, margin: null, by: 'upgrade', at: now.toISOString() };
    await writeSelling(tx, charged ? carried : UNCONFIRMED, now);
  }
}
