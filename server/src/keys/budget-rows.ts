/** Every statement on budgets over several keys. */
import { column, columnsOf, command, orNull, type RowOf, readAs, statement } from '../platform/db/index.ts';

const budgetRow = {
  id: column.text,
  name: column.text,
  caps: column.json,
  created_at: column.timestamp,
  updated_at: column.timestamp,
  key_ids: readAs(
    '(select array_agg(key_id order by key_id) from shared_budget_key where budget_id = shared_budget.id)',
    orNull(column.texts),
  ),
};
export type SharedBudgetRow = RowOf<typeof budgetRow>;
const OF_ACCOUNT = `select ${columnsOf(budgetRow)} from shared_budget where account_id = $1`;

export const SHARED_BUDGETS = statement(budgetRow, `${OF_ACCOUNT} order by created_at, id`);
export const BUDGET_BY_ID = statement(budgetRow, `${OF_ACCOUNT} and id = $2`);
export const PRESENT_BUDGETS = statement({}, 'select from shared_budget where account_id = $1');
export const WRITE_BUDGET = command(
  `insert into shared_budget (id, account_id, name, caps, created_at, updated_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (id) do update set name = excluded.name, caps = excluded.caps, updated_at = excluded.updated_at`,
);
export const DELETE_BUDGET = command('delete from shared_budget where id = $1');
export const TAKE_KEYS_OUT = command(
  'delete from shared_budget_key where budget_id = $1 and key_id <> all($2::text[])',
);
export const PUT_KEYS_IN = command(
  'insert into shared_budget_key (budget_id, key_id) select $1, unnest($2::text[]) on conflict do nothing',
);
/** One of these keys that is in more budgets than $2. */
export const KEY_IN_TOO_MANY = statement(
  { key_id: column.text },
  `select key_id from shared_budget_key where key_id = any($1::text[]) group by key_id having count(*) > $2::int limit 1`,
);
export const KEYS_OF_ACCOUNT_AMONG = statement(
  { id: column.text },
  'select id from api_key where account_id = $1 and id = any($2::text[])',
);
