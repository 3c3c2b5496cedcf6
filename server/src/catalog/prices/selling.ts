/**
 * Whether anything may be sold by the exchange rate and the margin in force. They begin as defaults of the software, which no
 * business can live on, so a person confirms both once, or the file fixes both. A price written in toman needs neither.
 */
import type { Queryable } from '../../platform/db/index.ts';
import { CHARGED_DAY, SELLING, type Selling, WRITE_SELLING } from './term-rows.ts';

export const UNCONFIRMED: Selling = { source: null, rate: null, margin: null, by: null, at: null };

/** Undefined where no start of this version has decided yet; what was sold before goes on being sold until it has. */
export async function readSelling(db: Queryable): Promise<Selling | undefined> {
  return (await SELLING.first(db))?.value;
}

export function isConfirmed(selling: Selling | undefined): boolean {
  return selling === undefined || selling.source !== null;
}

export async function writeSelling(tx: Queryable, selling: Selling, now: Date): Promise<void> {
  await WRITE_SELLING.run(tx, [JSON.stringify(selling), now]);
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
    const charged = await CHARGED_DAY.first(tx);
    const carried: Selling = { source: 'carried', rate: null, margin: null, by: 'upgrade', at: now.toISOString() };
    await writeSelling(tx, charged ? carried : UNCONFIRMED, now);
  }
}
