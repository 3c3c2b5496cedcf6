/** Who would miss a provider or a model: shown before it is removed. */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { announcedPrices } from '../prices/price-rows.ts';
import { type AdminTools, notFound } from './change.ts';
import * as rows from './use-rows.ts';

export type UseAdmin = ReturnType<typeof createUseAdmin>;

const WEEK_DAYS = 7;

export function createUseAdmin({ db, clock }: AdminTools) {
  return {
    async ofProvider(id: string) {
      if (!(await rows.PROVIDER_EXISTS.first(db, [id]))) throw notFound('provider', id);
      const lost = await rows.MODELS_LOST_WITH_PROVIDER.rows(db, [id]);
      const since = new Date(clock.now() - WEEK_DAYS * DAY_MS);
      const requests = await rows.REQUESTS_OF_PROVIDER.only(db, [id, since]);
      const models = lost.map((one) => one.id);
      return {
        object: 'uses' as const,
        ...(await usesOf(db, models, clock.now())),
        requests_7_days: requests.n,
        models,
      };
    },
    async ofModel(id: string) {
      if (!(await rows.MODEL_EXISTS.first(db, [id]))) throw notFound('model', id);
      const requests = await rows.REQUESTS_OF_MODEL.only(db, [id, new Date(clock.now())]);
      return {
        object: 'uses' as const,
        ...(await usesOf(db, [id], clock.now())),
        requests_7_days: requests.n,
        models: [id],
      };
    },
  };
}

/** Rules, groups and announced prices that name one of these models. */
export async function usesOf(db: Queryable, models: readonly string[], nowMs: number) {
  const groups = await rows.GROUPS_NAMING_MODELS.rows(db, [models]);
  const announced = (await announcedPrices(db, nowMs)).filter((price) => models.includes(price.model_id));
  return {
    groups: groups.map(({ id }) => id),
    keys: await namedIn(db, 'api_key', models),
    accounts: await namedIn(db, 'account', models),
    announced_prices: announced.length,
  };
}

async function namedIn(db: Queryable, table: 'api_key' | 'account', models: readonly string[]) {
  const named = await rows.RULES_NAMING_MODELS(table).rows(db, [models]);
  return { count: named[0]?.total ?? 0, first: named.map(({ id, name }) => ({ id, name })) };
}
