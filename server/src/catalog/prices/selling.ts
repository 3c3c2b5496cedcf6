/**
 * Whether anything may be sold at the exchange rate and margin in force. They begin as defaults of the software, which
 * no business can live on, so a person confirms both once, or the configuration file sets both. A price written in
 * toman needs neither.
 */
import type { Queryable } from '../../platform/db/index.ts';
import { CHARGED_DAY, SELLING, type Selling, WRITE_SELLING } from './term-rows.ts';

export const UNCONFIRMED: Selling = { source: null, rate: null, margin: null, by: null, at: null };

/** Undefined until the first start of this version has decided; until then what was sold before stays for sale. */
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
 * Runs at every start, once the tables exist. The first start of this version records the state; a file that sets both
 * values confirms them, and they stay confirmed when the file no longer does.
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
