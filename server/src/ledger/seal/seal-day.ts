/** Seals one day: walks its rows, keeps its sums for ever, and adds its link to the chain. */
import type { Queryable } from '../../platform/db/database.ts';
import { chainOf, fingerprintOf, type SealedSums } from './chain.ts';
import { moneyFaults, PROFIT_SUMS } from './money-sums.ts';
import { markSealed } from './seal-clock.ts';
import { type DayTotals, type Faults, forgetWalk, mergeFaults, type Walker, walkDay } from './walk.ts';
import { HASH_HIGH, HASH_LOW, hashOf, MONEY_COLUMNS, MONEY_KEY } from './walk-sql.ts';

export interface SealDayOptions extends Walker {
  chainKey: string;
  nowMs(): number;
}

export async function sealDay(options: SealDayOptions, day: string): Promise<Faults> {
  const totals = await walkDay(options, 'seal', day);
  return options.pace.slice(() => options.db.report((tx) => finish(options, tx, day, totals), { for: 'job' }));
}

async function finish({ chainKey, nowMs, keepLease }: SealDayOptions, tx: Queryable, day: string, totals: DayTotals) {
  // Whoever lost the run has lost the right to seal; another may have sealed the day since.
  await keepLease(tx, 0);
  const faults = mergeFaults(totals.faults, await moneyFaults(tx, 'seal', day));
  await keepSums(tx, day);
  const [former] = await tx.query<{ chain: string }>('select chain from ledger_seal where day = $1::date - 1', [day]);
  const sums = await sumsOf(tx, day, totals);
  await tx.query(
    `insert into ledger_seal (day, transfers, late, requests, amount, charged, digest, chain, sealed_at, read_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [
      day,
      sums.transfers,
      sums.late,
      sums.requests,
      sums.amount,
      sums.charged,
      sums.digest,
      chainOf(chainKey, former?.chain ?? '', sums),
      new Date(nowMs()),
    ],
  );
  await markSealed(tx, day);
  await forgetWalk(tx, 'seal');
  return faults;
}

/** Costs that became known on this day, of requests of others: they belong to no account's sales of the day. */
const KEEP_CORRECTIONS = `
  insert into money_day (day, ${MONEY_KEY}, ${MONEY_COLUMNS}, cost_corrections)
  select $1::date, '', '', substr(credit, 10), ${MONEY_COLUMNS.split(', ')
    .map(() => '0')
    .join(', ')}, amount
  from walk_day where walk = 'seal' and kind = 'cost-correction'
  on conflict (day, ${MONEY_KEY}) do update set cost_corrections = excluded.cost_corrections`;

async function keepSums(tx: Queryable, day: string): Promise<void> {
  await tx.query(
    `insert into ledger_day (day, debit, credit, kind, transfers, amount)
     select $1, debit, credit, kind, transfers, amount from walk_day where walk = 'seal'`,
    [day],
  );
  await tx.query(
    `insert into ledger_balance (id, day, moved, posted, charged)
     select walked.id, $1::date, walked.moved, walked.moved + coalesce(former.posted, 0), walked.charged + coalesce(former.charged, 0)
     from walk_balance walked left join lateral (
       select posted, charged from ledger_balance b where b.id = walked.id and b.day < $1::date order by b.day desc limit 1
     ) as former on true where walked.walk = 'seal'`,
    [day],
  );
  await tx.query(
    `insert into money_day (day, ${MONEY_KEY}, ${MONEY_COLUMNS}, waste)
     select $1, ${MONEY_KEY}, ${MONEY_COLUMNS}, waste from walk_money where walk = 'seal'`,
    [day],
  );
  await tx.query(KEEP_CORRECTIONS, [day]);
  for (const [table, made] of Object.entries(PROFIT_SUMS)) await tx.query(`insert into ${table} ${made}`, [day]);
  await tx.query(
    `insert into spend_sealed as known (id, spent) select id, spent from walk_spend where walk = 'seal' order by id
     on conflict (id) do update set spent = known.spent + excluded.spent`,
  );
}

/** The fingerprint covers what money_day keeps, since the rows behind it go with the log. */
export async function sumsOf(tx: Queryable, day: string, totals: DayTotals): Promise<SealedSums> {
  const text = `concat_ws(chr(31), ${MONEY_KEY}, ${MONEY_COLUMNS})`;
  const [money] = await tx.query<{ low: string; high: string }>(
    `select ${HASH_LOW}::text as low, ${HASH_HIGH}::text as high from money_day cross join ${hashOf(text)} where day = $1`,
    [day],
  );
  const { transfers, late, requests, amount, charged, hashLow, hashHigh } = totals;
  const digest = fingerprintOf([hashLow, hashHigh, money?.low ?? '0', money?.high ?? '0']);
  return { day, transfers, late, requests, amount, charged, digest };
}
