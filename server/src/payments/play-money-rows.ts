/**
 * Whether play money could buy something that costs us. The play bank and the notice about its payments both use this.
 */

import { column, type Queryable, statement } from '../platform/db/index.ts';

/** Prices that count: those in force at $1, and announced ones. */
const PRICE_COUNTS = `price.withdrawn_at is null and not exists (
  select from price as later
  where later.model_id = price.model_id and later.withdrawn_at is null and later.effective_at <= $1
    and (later.effective_at, later.seq) > (price.effective_at, price.seq))`;
const COSTS = `(price.per_request > 0 or jsonb_path_exists(price.per_unit, '$.* ? (@ != "0")')
  or jsonb_path_exists(price.tiers, '$[*].per_unit.* ? (@ != "0")'))`;

const SELLS_SOMETHING = statement(
  { real: column.boolean },
  `select exists (
     select from provider where enabled and present and transport = 'http' and (
       not exists (select from route where provider_id = provider.id)
       or exists (
         select from route join price using (model_id) where provider_id = provider.id and ${PRICE_COUNTS} and ${COSTS}))
   ) as real`,
);

/**
 * A provider that is reached over a network is real, with a credential or without one: a server on the operator's own
 * machine needs none, and a secret may be in the headers. A provider whose models all cost nothing sells nothing, since
 * no credit is needed for them: an operator who starts with free models keeps the play bank. A provider that serves no
 * model yet is real, because wallets that are filled today would buy what it serves tomorrow.
 */
export async function sellsSomething(db: Queryable, now: Date): Promise<boolean> {
  const row = await SELLS_SOMETHING.first(db, [now]);
  return row?.real === true;
}
