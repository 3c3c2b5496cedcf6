/** Who would miss a provider or a model: shown before it is taken away. */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { announcedPrices } from '../rows.ts';
import { type AdminTools, notFound } from './change.ts';

export type UseAdmin = ReturnType<typeof createUseAdmin>;

const FIRST = 20;
/** Requests of a busy provider are counted among so many. */
const MAX_LOOKED_AT = 100_000;
const WEEK_DAYS = 7;

export function createUseAdmin({ db, clock }: AdminTools) {
  return {
    async ofProvider(id: string) {
      if ((await db.query('select 1 from provider where id = $1', [id])).length === 0) throw notFound('provider', id);
      const lost = await db.query<{ id: string }>(
        `select distinct model_id as id from route r where provider_id = $1 and state is null and not exists (
           select 1 from route o join provider p on p.id = o.provider_id
           where o.model_id = r.model_id and o.provider_id <> $1 and o.state is null and p.enabled and p.present)
         order by 1`,
        [id],
      );
      const since = new Date(clock.now() - WEEK_DAYS * DAY_MS);
      const requests = await requestsOf(db, id, since);
      const models = lost.map((one) => one.id);
      return {
        object: 'uses' as const,
        ...(await usesOf(db, models, clock.now())),
        requests_7_days: requests,
        models,
      };
    },
    async ofModel(id: string) {
      if ((await db.query('select 1 from model where id = $1', [id])).length === 0) throw notFound('model', id);
      const [sum] = await db.query<{ n: number }>(
        `select coalesce(sum(requests), 0)::integer as n from usage_daily where model = $1 and day > $2::date - ${WEEK_DAYS}`,
        [id, new Date(clock.now())],
      );
      return {
        object: 'uses' as const,
        ...(await usesOf(db, [id], clock.now())),
        requests_7_days: sum?.n ?? 0,
        models: [id],
      };
    },
  };
}

/** No index of the log knows the provider: the newest requests of the week are looked at, so many that it matters to nobody. */
async function requestsOf(db: Queryable, id: string, since: Date): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*)::integer as n from (
       select provider from request_log where created_at > $2 order by id desc limit ${MAX_LOOKED_AT}) as newest
     where provider = $1`,
    [id, since],
  );
  return row?.n ?? 0;
}

/** Rules, groups and announced prices that name one of these models. */
export async function usesOf(db: Queryable, models: readonly string[], nowMs: number) {
  const groups = await db.query<{ id: string }>(
    `select distinct g.id from model_group g left join group_model m on m.group_id = g.id
     where m.model_id = any($1::text[]) or g.default_model = any($1::text[]) order by 1`,
    [models],
  );
  const announced = (await announcedPrices(db, nowMs)).filter((price) => models.includes(price.model_id));
  return {
    groups: groups.map(({ id }) => id),
    keys: await namedIn(db, 'api_key', models),
    accounts: await namedIn(db, 'account', models),
    announced_prices: announced.length,
  };
}

async function namedIn(db: Queryable, table: 'api_key' | 'account', models: readonly string[]) {
  const live = table === 'api_key' ? 'revoked_at is null and' : '';
  const rows = await db.query<{ id: string; name: string; total: number }>(
    `select id, name, count(*) over ()::integer as total from ${table}
     where ${live} (rules -> 'models' ?| $1::text[] or rules ->> 'default_model' = any($1::text[]))
     order by id limit ${FIRST}`,
    [models],
  );
  return { count: rows[0]?.total ?? 0, first: rows.map(({ id, name }) => ({ id, name })) };
}
