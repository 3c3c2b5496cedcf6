/**
 * Every statement of the guide: what its steps have found once, and what the database shows of an installation's first
 * steps.
 */
import { column, columnsOf, command, orNull, type RowOf, statement } from '../platform/db/index.ts';

export const EVIDENCE = statement(
  { step: column.text, what: column.text, actor: column.text, at: column.timestamp },
  'select step, what, actor, at from setup_evidence',
);
export const WRITE_EVIDENCE = command(
  `insert into setup_evidence (step, what, actor, at) values ($1, $2, $3, $4)
   on conflict (step) do update set what = excluded.what, actor = excluded.actor, at = excluded.at`,
);
export const DROP_EVIDENCE = command('delete from setup_evidence where step = $1');

/** $1 and $2: the setting that says whether the first password was replaced, and its value then. */
export const OWNERS = statement(
  { owners: column.int, secured: column.int, replaced: column.boolean },
  `select count(*)::int as owners,
     (count(*) filter (where p.totp_confirmed
       or exists (select from passkey k where k.person_id = p.id)))::int as secured,
     exists (select from setting where key = $1 and value = to_jsonb($2::text)) as replaced
     from staff s join person p on p.id = s.person_id where s.role = 'owner' and p.blocked_at is null`,
);

const providerFactRow = { id: column.text, tested_ok: orNull(column.boolean), tested_at: orNull(column.timestamp) };
export type ProviderFact = RowOf<typeof providerFactRow>;
/**
 * Providers that are reached over a network; answers from inside this process sell nothing. Those that passed a test
 * come first, newest first.
 */
export const REAL_PROVIDERS = statement(
  providerFactRow,
  `select ${columnsOf(providerFactRow)} from provider where transport = 'http' and enabled and present
    order by tested_ok desc nulls last, tested_at desc nulls last, id`,
);

export const VAT_SETTING = statement({}, `select from setting where key = 'vat_basis_points'`);

const foundRow = { id: column.text, at: column.timestamp };
export type Found = RowOf<typeof foundRow>;
/** The gateway's own index finds it. */
export const PAID_ORDER_OF_GATEWAY = statement(
  foundRow,
  `select id, updated_at as at from payment_order
    where gateway = $1 and state in ('paid', 'credited', 'refunded') limit 1`,
);
/** A day on which somebody but the account $1 paid for something real. */
export const DAY_WITH_SALE = statement(
  { account: column.text, model: column.text, day: column.timestamp },
  `select account_id as account, model, day::timestamptz as day from usage_daily u
    where cost > 0 and account_id <> $1 and not exists (select from model m where m.id = u.model and m.simulated)
    limit 1`,
);
export const FIRST_SALE = statement(
  foundRow,
  `select id, created_at as at from request_log
    where account_id = $1 and model = $2 and state = 'completed' and cost > 0 order by id limit 1`,
);
