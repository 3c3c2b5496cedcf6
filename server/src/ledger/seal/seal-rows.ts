/** Statements on seals: the clock of the books, the progress of a walk, and what a sealed day keeps. */
import { column, command, orNull, type RowOf, statement } from '../../platform/db/index.ts';
import { PROFIT_SUMS, UNSOLD_KINDS } from './seal-money-sql.ts';
import { type Faults, HASH_HIGH, HASH_LOW, hashOf, MONEY_COLUMNS, MONEY_KEY, type SealStep } from './walk-sql.ts';

export const SEAL_CLOCK = statement(
  { openFrom: column.text, sealedTo: column.text, chainKey: column.text },
  `select open_from::text as "openFrom", sealed_to::text as "sealedTo", chain_key as "chainKey" from ledger_clock`,
);

export const OPEN_FROM = command('update ledger_clock set open_from = $1 where open_from < $1');

export const FIRST_DAY = statement(
  { day: orNull(column.text) },
  `select least((select home_day(min(created_at)) from ledger_transfer), (select home_day(min(created_at)) from request_log))::text as day`,
);

export const BEGIN_CLOCK =
  command(`insert into ledger_clock (open_from, sealed_to, unsealed_at, unsealed_id, chain_key) values ($1, $2, $3, $4, $5)
   on conflict do nothing`);

export const CARRY_SPENT = command(
  'insert into spend_sealed (id, spent) select id, spent from spend_carried on conflict do nothing',
);

export const DATABASE_NOW = statement({ now: column.timestamp }, 'select statement_timestamp() as now');

export const MARK_SEALED = command('update ledger_clock set sealed_to = $1, unsealed_at = $2, unsealed_id = $3');

export const WRITERS_OF_TRANSFERS = statement(
  { holder: column.text },
  `select distinct virtualtransaction as holder from pg_locks
   where relation = 'ledger_transfer'::regclass and mode = 'RowExclusiveLock' and granted
     and database = (select oid from pg_database where datname = current_database())`,
);

const progressRow = {
  day: column.text,
  step: column.textOf<SealStep>(),
  after_id: column.text,
  transfers: column.bigint,
  late: column.bigint,
  requests: column.bigint,
  amount: column.text,
  charged: column.text,
  hash_low: column.text,
  hash_high: column.text,
  faults: column.jsonOf<Faults>(),
};
export type WalkProgress = RowOf<typeof progressRow>;

export const WRITE_PROGRESS =
  command(`update seal_progress set step = $2, after_id = $3, transfers = $4, late = $5, requests = $6, amount = $7, charged = $8,
   hash_low = $9, hash_high = $10, faults = $11 where walk = $1`);

export const PROGRESS_OF_WALK = statement(
  progressRow,
  `select day::text as day, step, after_id, transfers, late, requests, amount::text as amount, charged::text as charged,
   hash_low::text as hash_low, hash_high::text as hash_high, faults from seal_progress where walk = $1 for update`,
);

export const BEGIN_WALK = command(
  `insert into seal_progress (walk, day, step, after_id, faults) values ($1, $2, $3, '', '{}')`,
);

/** Costs that became known on this day, of requests of other days: they belong to no account's sales of the day. */
export const KEEP_CORRECTIONS = command(`
  insert into money_day (day, ${MONEY_KEY}, ${MONEY_COLUMNS}, cost_corrections)
  select $1::date, '', '', substr(credit, 10), ${MONEY_COLUMNS.split(', ')
    .map(() => '0')
    .join(', ')}, amount
  from walk_day where walk = 'seal' and kind = 'cost-correction'
  on conflict (day, ${MONEY_KEY}) do update set cost_corrections = excluded.cost_corrections`);

export const CHAIN_BEFORE = statement({ chain: column.text }, 'select chain from ledger_seal where day = $1::date - 1');

export const INSERT_SEAL =
  command(`insert into ledger_seal (day, transfers, late, requests, amount, charged, digest, chain, sealed_at, read_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`);

export const KEEP_DAY = command(`insert into ledger_day (day, debit, credit, kind, transfers, amount)
   select $1, debit, credit, kind, transfers, amount from walk_day where walk = 'seal'`);

export const KEEP_BALANCES = command(`insert into ledger_balance (id, day, moved, posted, charged)
   select walked.id, $1::date, walked.moved, walked.moved + coalesce(former.posted, 0), walked.charged + coalesce(former.charged, 0)
   from walk_balance walked left join lateral (
     select posted, charged from ledger_balance b where b.id = walked.id and b.day < $1::date order by b.day desc limit 1
   ) as former on true where walked.walk = 'seal'`);

export const KEEP_MONEY = command(`insert into money_day (day, ${MONEY_KEY}, ${MONEY_COLUMNS}, waste)
   select $1, ${MONEY_KEY}, ${MONEY_COLUMNS}, waste from walk_money where walk = 'seal'`);

export const KEEP_SPENT =
  command(`insert into spend_sealed as known (id, spent) select id, spent from walk_spend where walk = 'seal' order by id
   on conflict (id) do update set spent = known.spent + excluded.spent`);

function bothWays(kept: string, made: string): string {
  return `((${kept}) except (${made})) union all ((${made}) except (${kept}))`;
}

/** The sums that a day's rows give now, compared with those that were kept. $1 day. */
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

/**
 * Refunds belong to requests of other days, which may have left the log; the sums by book contain them too. A second
 * reading has no cached tokens.
 */
const SOLD_COLUMNS = `${MONEY_KEY}, ${MONEY_COLUMNS.replace(' refunded,', '').replace(' cached_tokens,', '')}`;

const ANY_SOLD = 'requests + refused > 0';

/** Works only while all requests of the day are in the log. */
const SOLD = `
  (select ${SOLD_COLUMNS} from walk_money where walk = 'read' and ${ANY_SOLD}
   except select ${SOLD_COLUMNS} from money_day where day = $1)
  union all
  (select ${SOLD_COLUMNS} from money_day where day = $1 and ${ANY_SOLD}
   except select ${SOLD_COLUMNS} from walk_money where walk = 'read')`;

export const KEPT_SEAL = statement(
  {
    day: column.text,
    transfers: column.bigint,
    late: column.bigint,
    requests: column.bigint,
    amount: column.text,
    charged: column.text,
    digest: column.text,
    chain: column.text,
    former: orNull(column.text),
  },
  `select day::text as day, transfers, late, requests, amount::text as amount, charged::text as charged, digest, chain,
   (select chain from ledger_seal former where former.day = seal.day - 1) as former from ledger_seal seal where day = $1`,
);

export const MARK_READ = command('update ledger_seal set read_at = $2, broken = $3 where day = $1');

const anyOf = (rows: string) => statement({}, `select from (${rows}) as differing limit 1`);

/** For each kind of sum: whether a sealed day's sums differ from what its rows give now. $1 day. */
export const DIFFERENCES = Object.entries(COMPARED).map(([what, rows]) => ({ what, any: anyOf(rows) }));
export const SOLD_DIFFERS = { what: 'what was sold', any: anyOf(SOLD) };

export const KEEP_PROFIT_SUMS = Object.entries(PROFIT_SUMS).map(([table, made]) =>
  command(`insert into ${table} ${made}`),
);

/** Deletes the sums of a walk that is over or was abandoned. */
export const FORGET_WALK = ['seal_progress', 'walk_day', 'walk_balance', 'walk_money', 'walk_spend'].map((table) =>
  command(`delete from ${table} where walk = $1`),
);

const MONEY_TEXT = `concat_ws(chr(31), ${MONEY_KEY}, ${MONEY_COLUMNS})`;
export const HASH_OF_MONEY = statement(
  { low: column.text, high: column.text },
  `select ${HASH_LOW}::text as low, ${HASH_HIGH}::text as high from money_day cross join ${hashOf(MONEY_TEXT)} where day = $1`,
);
