/** Statements that forget claims and trim what they keep. */
import { column, ROWS_PER_STATEMENT, statement } from '../../platform/db/index.ts';

export const PURGE_EXPIRED_CLAIMS = statement(
  { id: column.text },
  `delete from idempotency_claim where id in (
     select id from idempotency_claim
      where expires_at <= to_timestamp($1 / 1000.0) and (state = 'done' or lease_until < now()) limit ${ROWS_PER_STATEMENT})
   returning id`,
);

export const FORGET_CLAIMS = statement(
  { id: column.text },
  `delete from idempotency_claim where id in (
     select id from idempotency_claim where account_id = $1 and state = 'done' limit ${ROWS_PER_STATEMENT}) returning id`,
);

export const CROWDED_ACCOUNTS = statement(
  { account_id: column.text },
  `select account_id from idempotency_claim group by account_id
   having count(*) > $1 or sum(answer_bytes) > $2 limit 1000`,
);

export const DROP_OLDEST_ANSWERS = statement(
  { id: column.text },
  `update idempotency_claim set answer_head = null, answer_body = null, answer_bytes = 0 where id in (
     select id from (select id, created_at, sum(answer_bytes) over (order by created_at desc, id desc) as total
                       from idempotency_claim where account_id = $1 and answer_bytes > 0) placed
      where total > $2 order by created_at, id limit ${ROWS_PER_STATEMENT})
   returning id`,
);

export const DROP_OLDEST_CLAIMS = statement(
  { id: column.text },
  `delete from idempotency_claim where id in (
     select id from idempotency_claim where account_id = $1 and state = 'done'
      order by created_at desc, id desc offset $2 limit ${ROWS_PER_STATEMENT})
   returning id`,
);
