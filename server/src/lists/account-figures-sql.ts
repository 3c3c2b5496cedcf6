/** Statements on `account_figures`. */
import { column, command, statement } from '../platform/db/index.ts';

export const FIGURES_AT_ONCE = 500;

export const MOVED_SINCE = statement(
  { id: column.text },
  `select distinct account_id as id from request_log where id >= $1 and created_at >= $2
   union select account_id from ledger_transfer where kind <> 'charge' and created_at >= $2 and account_id is not null
   union select account_id from ticket where updated_at >= $2`,
);

export const NOT_RENEWED_SINCE = statement(
  { id: column.text },
  `select account_id as id from account_figures where renewed_at is null or renewed_at < $1
   order by renewed_at nulls first limit ${FIGURES_AT_ONCE}`,
);

export const RENEW_FIGURES = command(
  `update account_figures as figures set
     balance = coalesce((select posted from ledger_account where id = 'wallet:' || figures.account_id), 0),
     spent_today = coalesce((select sum(cost) from usage_daily where account_id = figures.account_id and day >= $2::date), 0),
     spent_30_days = coalesce((select sum(cost) from usage_daily where account_id = figures.account_id and day > $2::date - 30), 0),
     last_at = coalesce((select max(last_at) from usage_daily where account_id = figures.account_id), '1970-01-01 00:00:00+00'),
     keys = (select count(*) from api_key where account_id = figures.account_id and revoked_at is null and purpose = 'api'),
     members = (select count(*) from membership where account_id = figures.account_id),
     open_tickets = (select count(*) from ticket where account_id = figures.account_id and state = 'open'),
     renewed_at = $3
   from (select account_id from account_figures where account_id = any($1::text[]) order by account_id for update) as mine
   where figures.account_id = mine.account_id`,
);
