/**
 * Proves the books. Each check is a query for what must not exist; a check passes when it finds nothing.
 * All of them see one snapshot, so that an audit may run while money moves.
 */
import type { Database, Queryable } from '../platform/db/database.ts';
import type { AuditReport } from './ledger.ts';

interface Check {
  /** The console finds its own words by it. */
  id: string;
  name: string;
  /** Rows that contradict the books: what they are about, what is written, what it should be. */
  faults: string;
}

/** Charges and refunds per spend counter, as the request rows tell them; what retention dropped was carried over. */
const COUNTED = `
  select budget, sum(amount) as amount from (
    select budget, log.cost as amount
      from request_log log cross join spend_counters(log.counters, log.key_id, log.account_id) as budget where log.cost > 0 and log.counters <> ''
    union all
    select budget, -refund.amount
      from ledger_transfer refund join request_log log on log.id = refund.request_id
      cross join spend_counters(log.counters, log.key_id, log.account_id) as budget where refund.kind = 'refund' and log.counters <> ''
    union all
    select id, spent from spend_carried
  ) as part group by budget`;

const CHECKS: Check[] = [
  {
    id: 'balances',
    name: 'every balance is the sum of its transfers',
    faults: `
      select coalesce(account.id, moved.id) as about, account.posted::text as written, coalesce(moved.amount, 0)::text as expected
      from ledger_account account full join (
        select id, sum(amount) as amount from (
          select debit as id, -amount as amount from ledger_transfer union all select credit, amount from ledger_transfer
        ) as leg group by id
      ) as moved using (id)
      where account.posted is distinct from coalesce(moved.amount, 0)`,
  },
  {
    id: 'debits-and-credits',
    name: 'debits equal credits over all accounts',
    faults: `
      select 'all accounts' as about, sum(posted)::text as written, '0' as expected
      from ledger_account having coalesce(sum(posted), 0) <> 0`,
  },
  {
    id: 'positive-amounts',
    name: 'every transfer moves a positive amount between two accounts',
    faults: `
      select id as about, amount::text as written, 'more than 0' as expected
      from ledger_transfer where amount <= 0 or debit = credit`,
  },
  {
    id: 'one-charge-per-request',
    name: 'every closed request has exactly one charge, or cost nothing',
    faults: `
      select log.id as about, charge.amount::text as written, log.cost::text as expected
      from request_log log left join ledger_transfer charge on charge.id = log.id and charge.kind = 'charge'
        and charge.debit = 'wallet:' || log.account_id and charge.credit = 'revenue'
      where coalesce(charge.amount, 0) <> log.cost or (log.state = 'running' and log.cost <> 0)`,
  },
  {
    id: 'one-request-per-charge',
    name: 'every charge belongs to a request',
    faults: `
      select charge.id as about, charge.amount::text as written, 'a request' as expected
      from ledger_transfer charge
      where charge.kind = 'charge'
        and charge.created_at >= coalesce((select kept_from from request_log_horizon), '-infinity')
        and not exists (select from request_log log where log.id = charge.id)`,
  },
  {
    id: 'refunds-within-charges',
    name: 'no refund exceeds its charge',
    faults: `
      select refund.request_id as about, sum(refund.amount)::text as written, max(charge.amount)::text as expected
      from ledger_transfer refund join ledger_transfer charge on charge.id = refund.request_id
      where refund.kind = 'refund' group by refund.request_id having sum(refund.amount) > max(charge.amount)`,
  },
  {
    id: 'spend-counters',
    name: 'every spend counter is the sum of its charges',
    faults: `
      select coalesce(counter.id, counted.budget) as about, counter.spent::text as written,
        coalesce(counted.amount, 0)::text as expected
      from spend_counter counter full join (${COUNTED}) as counted on counted.budget = counter.id
      where coalesce(counter.spent, 0) <> coalesce(counted.amount, 0)`,
  },
  {
    id: 'daily-sums',
    name: 'the daily roll-up adds up to the charges of each account',
    faults: `
      select coalesce(daily.account_id, charged.account_id) as about, daily.cost::text as written,
        coalesce(charged.cost, 0)::text as expected
      from (select account_id, sum(cost) as cost from usage_daily group by account_id) as daily
      full join (
        select account_id, sum(amount) as cost from ledger_transfer where kind = 'charge' group by account_id
      ) as charged using (account_id)
      where coalesce(daily.cost, 0) <> coalesce(charged.cost, 0)`,
  },
  {
    id: 'credited-orders',
    name: 'every credited order has its one transfer, and no other order has one',
    faults: `
      select coalesce(payment.id, moved.id) as about, moved.amount::text as written, payment.amount::text as expected
      from (select id, account_id, amount from payment_order where state in ('credited', 'refunded')) as payment
      full join (select substr(id, 7) as id, account_id, amount from ledger_transfer where id like 'topup:%') as moved using (id)
      where payment.amount is distinct from moved.amount or payment.account_id is distinct from moved.account_id`,
  },
  {
    id: 'refunded-orders',
    name: 'every refunded order has given its credit back once, and no other order has',
    faults: `
      select coalesce(payment.id, moved.id) as about, moved.amount::text as written, coalesce(payment.amount, 0)::text as expected
      from (select id, account_id, amount from payment_order where state = 'refunded') as payment
      full join (
        select split_part(id, ':', 2) as id, account_id, sum(case when credit = 'cash' then amount else -amount end) as amount
        from ledger_transfer where kind = 'payback' group by 1, 2
      ) as moved using (id)
      where coalesce(payment.amount, 0) <> coalesce(moved.amount, 0)
        or (payment.account_id is distinct from moved.account_id and moved.amount <> 0)`,
  },
];

const MAX_SHOWN = 5;

interface Fault {
  about: string;
  written: string | null;
  expected: string;
}

export async function auditBooks(db: Database): Promise<AuditReport> {
  return db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const [totals] = await tx.query<{ transfers: bigint; requests: bigint }>(
      'select (select count(*) from ledger_transfer) as transfers, (select count(*) from request_log) as requests',
    );
    const checks: AuditReport['checks'] = [];
    for (const check of CHECKS) checks.push(await run(tx, check));
    const seen = `${totals?.transfers ?? 0n} transfers, ${totals?.requests ?? 0n} requests`;
    checks.push({ id: 'books-read', name: 'books read', ok: true, detail: seen });
    return { ok: checks.every((check) => check.ok), checks };
  });
}

async function run(tx: Queryable, { id, name, faults }: Check): Promise<AuditReport['checks'][number]> {
  const found = await tx.query<Fault & { total: bigint }>(
    `select *, count(*) over () as total from (${faults}) as fault limit ${MAX_SHOWN}`,
  );
  if (found.length === 0) return { id, name, ok: true, detail: 'nothing found against it' };
  const shown = found.map((fault) => `${fault.about}: ${fault.written ?? 'nothing'} instead of ${fault.expected}`);
  return { id, name, ok: false, detail: `${found[0]?.total} faults, such as ${shown.join('; ')}` };
}
