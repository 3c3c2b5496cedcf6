/**
 * What was sold and what it cost, by whatever it is asked by: sums of sealed days, which outlive the request log, and on top of
 * them the rows of the days that are still open. Those are added up once a minute at most.
 */
import { GIVEN_BACK } from '@dargah/core/transfer-kinds.ts';
import type { Clock } from '../core/clock.ts';
import { OPEN_ROWS } from '../ledger/index.ts';
import type { Database, Queryable } from '../platform/db/index.ts';

export interface Sums {
  requests: bigint;
  revenue: bigint;
  refunded: bigint;
  /** Of answers whose cost is known. */
  cost: bigint;
  unknownRequests: bigint;
  unknownRevenue: bigint;
  waste: bigint;
}

export const NO_SUMS: Sums = {
  requests: 0n,
  revenue: 0n,
  refunded: 0n,
  cost: 0n,
  unknownRequests: 0n,
  unknownRevenue: 0n,
  waste: 0n,
};

export function addSums(a: Sums, b: Sums): Sums {
  return {
    requests: a.requests + b.requests,
    revenue: a.revenue + b.revenue,
    refunded: a.refunded + b.refunded,
    cost: a.cost + b.cost,
    unknownRequests: a.unknownRequests + b.unknownRequests,
    unknownRevenue: a.unknownRevenue + b.unknownRevenue,
    waste: a.waste + b.waste,
  };
}

/** First and last day, both included. */
export interface Days {
  first: string;
  last: string;
}

type SumRow = { [Name in keyof Sums]: string };
type KeyRow = SumRow & { value: string };

const readSums = (row: SumRow): Sums => ({
  requests: BigInt(row.requests),
  revenue: BigInt(row.revenue),
  refunded: BigInt(row.refunded),
  cost: BigInt(row.cost),
  unknownRequests: BigInt(row.unknownRequests),
  unknownRevenue: BigInt(row.unknownRevenue),
  waste: BigInt(row.waste),
});

const SUMMED = `sum(requests)::text as requests, sum(revenue)::text as revenue, sum(refunded)::text as refunded, sum(cost)::text as cost,
  sum(cost_unknown_requests)::text as "unknownRequests", sum(revenue_unknown_cost)::text as "unknownRevenue", sum(waste)::text as waste`;
/** What was found out later, in the same columns: a cost more, and so much less that is unknown. */
const CORRECTED = `0 as requests, 0 as revenue, 0 as refunded, part.amount as cost, -part.requests as cost_unknown_requests,
  -part.revenue as revenue_unknown_cost, 0 as waste
  from cost_correction_part part join cost_correction on cost_correction.id = part.correction_id and state = 'booked'`;
const COLUMNS = 'requests, revenue, refunded, cost, cost_unknown_requests, revenue_unknown_cost, waste';

type ModelKey = 'day' | 'model' | 'provider';
const KEYS: Record<ModelKey, string> = { day: 'day::text', model: 'model', provider: 'provider' };

/** Sealed days, and corrections of any day. $1, $2 days; $3 the last sealed one that counts. */
export async function sealedBy(db: Queryable, key: ModelKey, { first, last }: Days, to: string) {
  const rows = await db.query<KeyRow>(
    `select ${KEYS[key]} as value, ${SUMMED} from (
       select day, model, provider, ${COLUMNS} from money_model_day where day >= $1 and day <= $2 and day <= $3::date
       union all
       select part.day, part.model, part.provider, ${CORRECTED} where part.day >= $1 and part.day <= $2
     ) as sold group by 1`,
    [first, last, to],
  );
  return new Map(rows.map((row) => [row.value, readSums(row)]));
}

export async function sealedByRoute(db: Queryable, { first, last }: Days, to: string) {
  const rows = await db.query<SumRow & { model: string; provider: string }>(
    `select model, provider, ${SUMMED} from (
       select model, provider, ${COLUMNS} from money_model_day where day >= $1 and day <= $2 and day <= $3::date
       union all
       select part.model, part.provider, ${CORRECTED} where part.day >= $1 and part.day <= $2
     ) as sold group by model, provider`,
    [first, last, to],
  );
  return rows.map((row) => ({ model: row.model, provider: row.provider, sums: readSums(row) }));
}

export async function sealedOfAccounts(db: Queryable, accounts: readonly string[], { first, last }: Days, to: string) {
  const rows = await db.query<KeyRow>(
    `select account_id as value, ${SUMMED} from (
       select account_id, ${COLUMNS} from money_account_day
       where account_id = any($4::text[]) and day >= $1 and day <= $2 and day <= $3::date
       union all
       select part.account_id, ${CORRECTED} where part.day >= $1 and part.day <= $2 and part.account_id = any($4::text[])
     ) as sold group by 1`,
    [first, last, to, accounts],
  );
  return new Map(rows.map((row) => [row.value, readSums(row)]));
}

/** Accounts by what they paid, the largest first: sealed days and the open ones together. */
export async function accountsBySales(
  db: Queryable,
  { first, last }: Days,
  open: { to: string; net: ReadonlyMap<string, bigint> },
  page: { after: { net: string; id: string } | undefined; fetch: number },
): Promise<{ id: string; net: string }[]> {
  return db.query<{ id: string; net: string }>(
    `select account_id as id, sum(net)::text as net from (
       select account_id, sum(revenue - refunded) as net from money_account_day
       where day >= $1 and day <= $2 and day <= $3::date group by account_id
       union all
       select * from unnest($4::text[], $5::numeric[])
     ) as sold group by account_id
     having $6::text is null or sum(net) < $7::numeric or (sum(net) = $7::numeric and account_id > $6)
     order by sum(net) desc, account_id limit ${Math.trunc(page.fetch)}`,
    [
      first,
      last,
      open.to,
      [...open.net.keys()],
      [...open.net.values()].map(String),
      page.after?.id ?? null,
      page.after?.net ?? null,
    ],
  );
}

export interface OpenRow {
  day: string;
  /** Either an account, or a model and a provider. */
  accountId: string | null;
  model: string | null;
  provider: string | null;
  sums: Sums;
}

export interface OpenSums {
  /** Days after this one are in the rows. */
  sealedTo: string;
  rows: OpenRow[];
}

/**
 * Whether an answer that was not charged cost something is known when its day is sealed, and so is what failures cost: until then
 * only answers that were sold count as unknown.
 */
const OPEN = `
select day, account_id as "accountId", model, provider, ${SUMMED} from (
  select r.booked_on::text as day,
    r.account_id, case when r.error_code = 'model_not_found' then '' else r.model end as model, coalesce(r.provider, '') as provider,
    (r.state <> 'refused')::int as requests, r.cost as revenue, 0 as refunded, coalesce(r.provider_cost, 0) as cost,
    (r.provider is not null and r.provider_cost is null and r.cost > 0)::int as cost_unknown_requests,
    case when r.provider is not null and r.provider_cost is null then r.cost else 0 end as revenue_unknown_cost, 0 as waste
  from ${OPEN_ROWS.requests} as r where r.state <> 'running'
  union all
  select home_day(back.created_at)::text, coalesce(back.account_id, ''), coalesce(log.model, ''), coalesce(log.provider, ''),
    0, 0, back.amount, 0, 0, 0, 0
  from ledger_transfer back left join request_log log on log.id = back.request_id
  where back.kind in ${GIVEN_BACK} and back.created_at >= coalesce((select unsealed_at from ledger_clock), '-infinity')
) as sold
group by grouping sets ((day, model, provider), (day, account_id))`;

const KNOWN_FOR_MS = 60_000;
const NEVER = '-infinity';

export class OpenDays {
  readonly #db: Database;
  readonly #clock: Clock;
  #known: { until: number; sums: Promise<OpenSums> } | undefined;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  read(): Promise<OpenSums> {
    const now = this.#clock.monotonicMs();
    if (this.#known !== undefined && now < this.#known.until) return this.#known.sums;
    const sums = readOpen(this.#db);
    this.#known = { until: now + KNOWN_FOR_MS, sums };
    // What failed is asked again by the next one.
    sums.catch(() => {
      this.#known = undefined;
    });
    return sums;
  }
}

function readOpen(db: Database): Promise<OpenSums> {
  return db.report(
    async (tx) => {
      const [clock] = await tx.query<{ to: string }>('select sealed_to::text as to from ledger_clock');
      const rows = await tx.query<SumRow & Omit<OpenRow, 'sums'>>(OPEN);
      return {
        sealedTo: clock?.to ?? NEVER,
        rows: rows.map((row) => ({
          day: row.day,
          accountId: row.accountId,
          model: row.model,
          provider: row.provider,
          sums: readSums(row),
        })),
      };
    },
    { for: 'list', snapshot: true },
  );
}
