/** Rows of a busy service, made by the database itself: for tests of plans and for the benchmark of lists. */
import type { Database } from '../../src/platform/db/index.ts';
import { preparePartitions } from '../../src/requestlog/index.ts';

export interface ListSizes {
  requests: number;
  orders: number;
  accounts: number;
  days: number;
}

const DAY_MS = 86_400_000;

/** `makeId` of core/ids.ts in the database's words: of the columns `ms` and `n`. */
function idOf(prefix: string): string {
  const letters = [8, 7, 6, 5, 4, 3, 2, 1, 0].map(
    (place) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> ${5 * place}) & 31)::integer + 1, 1)`,
  );
  return `'${prefix}_' || ${letters.join(' || ')} || lpad(n::text, 16, '0')`;
}

/** The newest row is of `nowMs`; times are whole milliseconds, as the service writes them. */
export async function seedLists(db: Database, nowMs: number, sizes: ListSizes): Promise<void> {
  for (let day = sizes.days; day >= 0; day--) await preparePartitions(db, nowMs - day * DAY_MS, 0);
  await db.session(async (session) => {
    await session.query('set statement_timeout = 0');
    for (const statement of statementsOf(nowMs, sizes)) await session.query(statement);
    await session.query('analyze');
  });
}

function statementsOf(nowMs: number, { requests, orders, accounts, days }: ListSizes): string[] {
  const span = days * DAY_MS;
  const at = (of: number) => `(${nowMs} - (n::bigint * ${Math.floor(span / of)}))`;
  const time = (ms: string) => `to_timestamp(${ms}::numeric / 1000)`;
  return [
    `insert into account (id, name, rules, calendar, created_at, updated_at)
     select 'acc-' || n, case n % 3 when 0 then 'شرکت شماره ' || n when 1 then 'Acme ' || n else 'فروشگاه ' || n end, '{}', '{}', ${time(at(accounts))}, ${time(at(accounts))}
     from generate_series(1, ${accounts}) as n`,
    `insert into person (id, name, created_at) select 'per_' || n, 'Person ' || n, ${time(at(accounts))} from generate_series(1, ${accounts}) as n`,
    `insert into identity (id, person_id, kind, value, created_at)
     select 'idn_' || n, 'per_' || n, 'mobile', '0912' || lpad(n::text, 7, '0'), ${time(at(accounts))} from generate_series(1, ${accounts}) as n`,
    `insert into membership (account_id, person_id, role, created_at) select 'acc-' || n, 'per_' || n, 'owner', ${time(at(accounts))} from generate_series(1, ${accounts}) as n`,
    `insert into api_key (id, account_id, name, digest, prefix, last4, rules, created_at, updated_at)
     select 'key_' || n, 'acc-' || n, 'Key ' || n, sha256(n::text::bytea), 'sk', '0000', '{}', ${time(at(accounts))}, ${time(at(accounts))}
     from generate_series(1, ${accounts}) as n`,
    `insert into request_log (id, created_at, account_id, key_id, endpoint, model, stream, price_version, day, state, error_code, status,
       provider, counters, held, cost, provider_cost, duration_ms, input_tokens, output_tokens, detail)
     select ${idOf('req')}, ${time('ms')}, 'acc-' || account, 'key_' || account, 'chat.completions', 'vendor/model-' || n % 40, false, 'p',
       ${time('ms')}::date, case when n % 50 = 0 then 'failed' when n % 70 = 0 then 'refused' else 'completed' end,
       case when n % 50 = 0 then 'upstream_error' end, 200, 'provider-' || n % 20, '', 0, (n::bigint * 7919) % 5000000000, 0, ((n::bigint * 104729) % 60000)::integer, 100, 50, '{"user":"user-' || n % 1000 || '"}'
     from (select n, ${at(requests)} as ms, 1 + (n::bigint * n) % ${accounts} as account from generate_series(1, ${requests}) as n) as made`,
    `insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, external_id, reference, card, created_by, language,
       expires_at, created_at, updated_at)
     select ${idOf('ord')}, 'acc-' || 1 + n % ${accounts}, (array['zarinpal', 'zibal', 'stripe', 'bank-transfer'])[1 + n % 4], (n::bigint % 1000 + 1) * 1000000000, 0, 1, 'IRR',
       case when n % 40 = 0 then 'failed' when n % 333 = 0 then 'paid' else 'credited' end, 'ext-' || n, 'ref-' || n, '6037****' || lpad((n % 10000)::text, 4, '0'), 'operator', 'fa',
       ${time('ms')}, ${time('ms')}, ${time('ms')}
     from (select n, ${at(orders)} as ms from generate_series(1, ${orders}) as n) as made`,
    `insert into ledger_transfer (id, debit, credit, amount, kind, account_id, note, created_at)
     select 'topup:' || id, 'bank:melli', 'wallet:' || account_id, amount, 'top-up', account_id, null, created_at from payment_order where state = 'credited'`,
    `insert into admin_event (id, at, actor, action, subject, detail)
     select ${idOf('evt')}, ${time('ms')}, 'staff:per_' || n % 20, (array['key.create', 'account.update', 'setting.set'])[1 + n % 3], 'acc-' || n % ${accounts}, '{}'
     from (select n, ${at(orders)} as ms from generate_series(1, ${orders}) as n) as made`,
    `insert into ticket (id, account_id, category, subject, state, customer_read_at, created_at, updated_at)
     select ${idOf('tkt')}, 'acc-' || 1 + n % ${accounts}, 'technical', 'Subject ' || n, (array['open', 'answered', 'closed', 'closed'])[1 + n % 4], ${time('ms')}, ${time('ms')}, ${time('ms')}
     from (select n, ${at(accounts)} as ms from generate_series(1, ${accounts}) as n) as made`,
    `update account_figures set balance = (length(account_id) * 7919 % 1000) * 1000000, spent_30_days = (hashtext(account_id)::bigint + 2147483648) * 1000, last_at = created_at, renewed_at = now()`,
  ];
}
