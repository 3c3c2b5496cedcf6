/** What must hold after any trouble: each whole answer charged once at its price, nothing charged twice, nothing held. */
import { expect } from 'vitest';
import { money, parseToman, toTomanText } from '../../src/core/money.ts';
import type { Books } from '../../src/ledger/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { describeAudit } from '../ledger/describe-audit.ts';
import { eventually } from '../services/eventually.ts';
import type { Purchase } from './customers.ts';
import { keyView } from './fixed-price.ts';

export async function proveCharges(db: Database, purchases: Purchase[]): Promise<void> {
  const rows = await db.query<{ id: string; amount: string }>(
    `select id, amount::text as amount from ledger_transfer where kind = 'charge'`,
  );
  const charges = new Map<string, string>();
  for (const { id, amount } of rows) {
    expect(charges.has(id), `${id} was charged twice`).toBe(false);
    charges.set(id, amount);
  }
  const missing: string[] = [];
  for (const { id, whole, cost } of purchases) {
    if (!whole) continue;
    if (id === undefined || charges.get(id) !== String(parseToman(cost ?? Number.NaN))) missing.push(`${id}: ${cost}`);
  }
  expect(missing, 'answers without their charge').toEqual([]);
  const refused = purchases.filter((purchase) => purchase.status !== undefined && purchase.status >= 400);
  for (const { id } of refused) expect(charges.has(id ?? ''), `refused ${id} was charged`).toBe(false);
}

export async function proveAudit(books: Books): Promise<void> {
  const report = await books.audit();
  expect(report.ok, describeAudit(report)).toBe(true);
}

/** No request is shown as running, and no money is held, as any replica tells it. */
export async function proveNothingHeld(db: Database, origins: string[], key: string, opening: number): Promise<void> {
  await eventually(async () => {
    const [row] = await db.query<{ running: bigint }>(
      `select count(*) as running from request_log where state = 'running'`,
    );
    expect(row?.running).toBe(0n);
  });
  const [spent] = await db.query<{ amount: string }>(
    `select coalesce(sum(amount), 0)::text as amount from ledger_transfer where kind = 'charge'`,
  );
  const balance = toTomanText(money(BigInt(opening) * 1_000_000n - BigInt(spent?.amount ?? 0)));
  for (const origin of origins) {
    await eventually(async () => {
      expect((await keyView(origin, key)).wallet).toEqual({ balance, held: '0', available: balance });
    });
  }
}
