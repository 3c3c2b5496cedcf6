/**
 * A cost that becomes known later: requests of months that are not closed that were answered at a cost nobody knew are costed by their usage.
 * Their rows stay as they are. The walk goes over the log in slices, each one transaction, so another process goes on after a
 * killed one; a request is corrected once, whoever asks how often; at the end there is one entry of today.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { type RatesText, ratesFromText } from '../catalog/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import { costOf, type Price } from '../core/price.ts';
import { bookCosts, startOfDay } from '../ledger/index.ts';
import { monthStart } from '../payments/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { costFactsOf } from '../requestlog/index.ts';
import { accountingReasons } from './reasons.ts';

export interface CostCorrection {
  id: string;
  provider: string;
  model: string;
  upstream: string;
  state: 'running' | 'booked';
  from: Date;
  requests: number;
  revenue: Money;
  amount: Money;
  createdAt: Date;
  bookedAt: Date | null;
}

export interface CostCorrections {
  /** Begins one, or says which is under way. The route's cost must be known by now. */
  begin(route: { model: string; provider: string; upstream: string }, actor: string): Promise<CostCorrection>;
  /** Goes on with what was begun, here or by a process that is gone. */
  carryOn(): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<CostCorrection[]>;
}

export interface CostCorrectionsOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  /** Of one slice. */
  mostRows?: number;
}

const ROWS_AT_ONCE = 5_000;
const MAX_DAYS_BACK = 60;
const COLUMNS = `id, provider_id as provider, model_id as model, upstream_model as upstream, state, from_at as "from", requests::int as requests,
  revenue::text as revenue, amount::text as amount, created_at as "createdAt", booked_at as "bookedAt"`;

type Row = Omit<CostCorrection, 'revenue' | 'amount'> & { revenue: string; amount: string };
const read = (row: Row): CostCorrection => ({
  ...row,
  revenue: money(BigInt(row.revenue)),
  amount: money(BigInt(row.amount)),
});

export function createCostCorrections(options: CostCorrectionsOptions): CostCorrections {
  const { db } = options;
  return {
    begin: (route, actor) => db.transaction((tx) => begin(options, tx, route, actor)),
    async carryOn() {
      const open = await db.query<{ id: string }>(`select id from cost_correction where state = 'running' order by id`);
      for (const { id } of open) while (await db.report((tx) => oneSlice(options, tx, id), { for: 'job' }));
    },
    async list(limit) {
      const rows = await db.query<Row>(
        `select ${COLUMNS} from cost_correction order by cost_correction.created_at desc, id desc limit $1`,
        [limit],
      );
      return rows.map(read);
    },
  };
}

async function begin(
  options: CostCorrectionsOptions,
  tx: Queryable,
  { model, provider, upstream }: Parameters<CostCorrections['begin']>[0],
  actor: string,
): Promise<CostCorrection> {
  const names = [provider, model, upstream];
  const [route] = await tx.query<{ cost: RatesText | null }>(
    'select cost from route where provider_id = $1 and model_id = $2 and upstream_model = $3',
    names,
  );
  if (!route) throw new GatewayError('not_found', { reason: accountingReasons.noSuchRoute });
  if (!route.cost) throw new GatewayError('conflict', { reason: accountingReasons.costNotKnown });
  const nowMs = options.clock.now();
  const from = new Date(await firstOpenMoment(tx, nowMs));
  const id = makeId('cco', nowMs, options.randomBytes);
  const made = await tx.query(
    `insert into cost_correction (id, provider_id, model_id, upstream_model, price, from_at, to_at, state, asked_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'running', $8, $7)
     on conflict (provider_id, model_id, upstream_model) where state = 'running' do nothing returning id`,
    [id, ...names, JSON.stringify(route.cost), from, new Date(nowMs), actor],
  );
  if (made.length > 0)
    await createChangeRecorder(options, 'document')(tx, actor, 'cost.count', model, { provider, model: upstream });
  const [row] = await tx.query<Row>(
    `select ${COLUMNS} from cost_correction where id = $1 or (state = 'running' and provider_id = $2 and model_id = $3 and upstream_model = $4)`,
    [id, ...names],
  );
  if (!row) throw new Error('a correction that was begun is gone');
  return read(row);
}

/** Months that are not closed, the running one and at most two before it: further back the log may be gone. */
async function firstOpenMoment(tx: Queryable, nowMs: number): Promise<number> {
  const earliest = startOfDay(monthStart(nowMs - MAX_DAYS_BACK * DAY_MS, 'jalali'));
  const [closed] = await tx.query<{ day: string | null }>(
    `select max(last_day)::text as day from ledger_period where state = 'closed'`,
  );
  return closed?.day ? Math.max(earliest, startOfDay(closed.day) + DAY_MS) : earliest;
}

interface Open {
  provider_id: string;
  model_id: string;
  upstream_model: string;
  price: RatesText;
  from_at: Date;
  to_at: Date;
  after_id: string;
}

/** Whether there is more. */
async function oneSlice(options: CostCorrectionsOptions, tx: Queryable, id: string): Promise<boolean> {
  const rows = options.mostRows ?? ROWS_AT_ONCE;
  // Whoever has it goes on; the other replica finds nothing to do.
  const [open] = await tx.query<Open>(
    `select provider_id, model_id, upstream_model, price, from_at, to_at, after_id from cost_correction
     where id = $1 and state = 'running' for update skip locked`,
    [id],
  );
  if (!open) return false;
  const [slice] = await tx.query<{ read: bigint; place: string | null }>(
    `select count(*) as read, max(id) as place from (
       select id from request_log where created_at >= $1 and created_at < $2 and id > $3 order by id limit ${Math.trunc(rows)}) as slice`,
    [open.from_at, open.to_at, open.after_id],
  );
  if (slice?.place != null) await correct(tx, id, open, slice.place);
  if (Number(slice?.read ?? 0) < rows) {
    await book(options, tx, id, open.provider_id);
    return false;
  }
  await tx.query('update cost_correction set after_id = $2 where id = $1', [id, slice?.place ?? '']);
  return true;
}

interface Uncosted {
  id: string;
  account_id: string;
  day: string;
  cost: string;
  detail: string;
}

async function correct(tx: Queryable, id: string, open: Open, place: string): Promise<void> {
  const rows = await tx.query<Uncosted>(
    `select r.id, r.account_id, coalesce(late.booked_on, home_day(r.created_at))::text as day, r.cost::text as cost, r.detail
     from request_log r left join late_request late on late.id = r.id
     where r.created_at >= $1 and r.created_at < $2 and r.id > $3 and r.id <= $4
       and r.provider = $5 and r.model = $6 and r.provider_cost is null and r.state <> 'running'`,
    [open.from_at, open.to_at, open.after_id, place, open.provider_id, open.model_id],
  );
  const price: Price = { version: 'cost', ...ratesFromText(open.price) };
  const found = rows.flatMap((row) => {
    const cost = costOfAnswer(row.detail, `${open.provider_id}:${open.upstream_model}`, price);
    return cost === undefined ? [] : [{ ...row, amount: String(cost) }];
  });
  if (found.length === 0) return;
  await tx.query(
    `with fresh as (
       insert into cost_corrected (request_id, correction_id) select request_id, $1 from unnest($2::text[]) as asked (request_id)
       on conflict do nothing returning request_id
     ), part as (
       select day::date as day, account_id, cost::numeric as cost, amount::numeric as amount
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) as found (request_id, day, account_id, cost, amount)
         join fresh using (request_id)
     ), kept as (
       insert into cost_correction_part as known (correction_id, day, account_id, model, provider, requests, revenue, amount)
       select $1, day, account_id, $7, $8, count(*), sum(cost), sum(amount) from part group by day, account_id
       on conflict (correction_id, day, account_id, model, provider) do update set requests = known.requests + excluded.requests,
         revenue = known.revenue + excluded.revenue, amount = known.amount + excluded.amount
     )
     update cost_correction set requests = requests + sums.n, revenue = revenue + sums.cost, amount = cost_correction.amount + sums.amount
     from (select count(*) as n, coalesce(sum(cost), 0) as cost, coalesce(sum(amount), 0) as amount from part) as sums where id = $1`,
    [
      id,
      found.map((row) => row.id),
      found.map(({ day }) => day),
      found.map((row) => row.account_id),
      found.map(({ cost }) => cost),
      found.map(({ amount }) => amount),
      open.model_id,
      open.provider_id,
    ],
  );
}

/** Attempts beside the answer that was sold. */
const NO_ANSWERS = ['hedge-lost', 'broken-answer', 'skipped'];

/**
 * Undefined where nobody counted what was used, where another route answered or went on with the answer, and where the cost is known as
 * that of a failure.
 */
function costOfAnswer(detail: string, route: string, price: Price): Money | undefined {
  const { usage, attempts } = costFactsOf(detail);
  const answers = attempts.filter(({ outcome }) => !NO_ANSWERS.includes(outcome));
  if (usage === null || answers.some(({ providerCost }) => providerCost !== undefined)) return undefined;
  if (answers.some(({ continues, firstEventMs }) => continues && firstEventMs !== null)) return undefined;
  if (answers.length > 0 && !answers.some((one) => one.route === route)) return undefined;
  return costOf(price, usage);
}

async function book({ clock }: CostCorrectionsOptions, tx: Queryable, id: string, provider: string): Promise<void> {
  const nowMs = clock.now();
  const [row] = await tx.query<{ amount: string }>(
    `update cost_correction set state = 'booked', booked_at = $2 where id = $1 returning amount::text as amount`,
    [id, new Date(nowMs)],
  );
  const entry = { id: `cost-correction:${id}`, kind: 'cost-correction' as const, provider, amount: row?.amount ?? '0' };
  await bookCosts(tx, [entry], nowMs);
}

export function correctionView(correction: CostCorrection) {
  const { id, provider, model, upstream, state, requests, revenue, amount } = correction;
  return {
    object: 'cost_correction' as const,
    id,
    provider,
    model,
    upstream_model: upstream,
    state,
    from: correction.from.toISOString(),
    requests,
    revenue: toTomanText(revenue),
    amount: toTomanText(amount),
    created_at: correction.createdAt.toISOString(),
    booked_at: correction.bookedAt?.toISOString() ?? null,
  };
}
