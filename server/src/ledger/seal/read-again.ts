/** Reads a sealed day again and compares it with what its seal says: an altered row, sum or seal is found, with its day. */
import type { Queryable } from '../../platform/db/database.ts';
import { chainOf, type SealedSums } from './chain.ts';
import { isInLog, moneyFaults, PROFIT_SUMS, UNSOLD_KINDS } from './money-sums.ts';
import { type SealDayOptions, sumsOf } from './seal-day.ts';
import { type DayTotals, type Faults, forgetWalk, mergeFaults, walkDay } from './walk.ts';
import { MONEY_COLUMNS, MONEY_KEY } from './walk-sql.ts';

function bothWays(kept: string, made: string): string {
  return `((${kept}) except (${made})) union all ((${made}) except (${kept}))`;
}

/** Sums of a day as its rows make them now, against those that were kept. $1 day. */
const COMPARED: Record<string, string> = {
  'the sums by book': `
    (select debit, credit, kind, transfers, amount from walk_day where walk = 'read'
     except select debit, credit, kind, transfers, amount from ledger_day where day = $1)
    union all
    (select debit, credit, kind, transfers, amount from ledger_day where day = $1
     except select debit, credit, kind, transfers, amount from walk_day where walk = 'read')`,
  'the balances': `
    select from (select id, moved, posted, charged from ledger_balance where day = $1) as kept
      full join (select id, moved, charged from walk_balance where walk = 'read') as walked using (id)
      left join lateral (
        select posted, charged from ledger_balance b where b.id = kept.id and b.day < $1::date order by b.day desc limit 1
      ) as former on true
    where kept.moved is distinct from walked.moved
      or kept.posted is distinct from walked.moved + coalesce(former.posted, 0)
      or kept.charged is distinct from walked.charged + coalesce(former.charged, 0)`,
  'the cost of what failed': bothWays(
    `select provider, sum(waste) from money_day where day = $1 group by provider having sum(waste) <> 0`,
    `select substr(credit, 10), sum(amount) from walk_day where walk = 'read' and kind in ${UNSOLD_KINDS} group by credit`,
  ),
  'the costs that became known': bothWays(
    `select provider, cost_corrections from money_day where day = $1 and cost_corrections <> 0`,
    `select substr(credit, 10), amount from walk_day where walk = 'read' and kind = 'cost-correction'`,
  ),
  ...Object.fromEntries(
    Object.entries(PROFIT_SUMS).map(([table, made]) => [
      `the sums in ${table}`,
      bothWays(`select * from ${table} where day = $1`, made),
    ]),
  ),
};

/** Refunds are of requests of other days, which may have left the log; the sums by book have them too. A reading has no cached tokens. */
const SOLD_COLUMNS = `${MONEY_KEY}, ${MONEY_COLUMNS.replace(' refunded,', '').replace(' cached_tokens,', '')}`;
const ANY_SOLD = 'requests + refused > 0';
/** Only while all requests of the day are in the log. */
const SOLD = `
  (select ${SOLD_COLUMNS} from walk_money where walk = 'read' and ${ANY_SOLD}
   except select ${SOLD_COLUMNS} from money_day where day = $1)
  union all
  (select ${SOLD_COLUMNS} from money_day where day = $1 and ${ANY_SOLD}
   except select ${SOLD_COLUMNS} from walk_money where walk = 'read')`;

interface KeptSeal extends SealedSums {
  chain: string;
  former: string | null;
}

export async function readAgain(options: SealDayOptions, day: string): Promise<Faults> {
  const totals = await walkDay(options, 'read', day);
  return options.pace.slice(() => options.db.report((tx) => compare(options, tx, day, totals), { for: 'job' }));
}

async function compare({ chainKey, nowMs, keepLease }: SealDayOptions, tx: Queryable, day: string, totals: DayTotals) {
  await keepLease(tx, 0);
  const [kept] = await tx.query<KeptSeal>(
    `select day::text as day, transfers, late, requests, amount::text as amount, charged::text as charged, digest, chain,
       (select chain from ledger_seal former where former.day = seal.day - 1) as former from ledger_seal seal where day = $1`,
    [day],
  );
  if (!kept) return { 'sealed-days': { total: 1, such: [`${day}: the seal is gone`] } };
  const isLogged = await isInLog(tx, day);
  const found = await sumsOf(tx, day, totals);
  const such = differences(kept, found);
  for (const [what, text] of Object.entries({ ...COMPARED, ...(isLogged && { 'what was sold': SOLD }) }))
    if ((await tx.query(`${text} limit 1`, [day])).length > 0) such.push(`${what} changed`);
  const chainHolds = chainOf(chainKey, kept.former ?? '', kept) === kept.chain;
  await tx.query('update ledger_seal set read_at = $2, broken = $3 where day = $1', [
    day,
    new Date(nowMs()),
    such.length > 0 || !chainHolds,
  ]);
  const sealed: Faults = {
    'sealed-days': { total: such.length, such: such.map((one) => `${day}: ${one}`) },
    chain: { total: chainHolds ? 0 : 1, such: chainHolds ? [] : [`${day}: its seal was made by somebody else`] },
  };
  const faults = mergeFaults(mergeFaults(totals.faults, sealed), await moneyFaults(tx, 'read', day));
  await forgetWalk(tx, 'read');
  return faults;
}

function differences(kept: SealedSums, found: SealedSums): string[] {
  const said = [];
  if (kept.transfers !== found.transfers) said.push(`${found.transfers} transfers instead of ${kept.transfers}`);
  if (kept.amount !== found.amount) said.push(`they move ${found.amount} instead of ${kept.amount}`);
  if (said.length === 0 && kept.digest !== found.digest) said.push('a row was changed');
  return said;
}
