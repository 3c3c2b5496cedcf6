/** What operators do with the catalog, wired, and what follows the dates of prices while nobody asks. */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import {
  type CatalogAdmin,
  createCatalogAdmin,
  createListAdmin,
  createRateSource,
  type ListAdmin,
  type ListNews,
  type RateSource,
} from '../catalog/index.ts';
import type { ConfigFile } from '../config/index.ts';
import type { Notices, OwnFacts } from '../notices/index.ts';
import { createSafeFetch } from '../platform/upstream/index.ts';
import type { Router } from '../routing/index.ts';
import type { Announcements } from '../support/index.ts';
import type { Foundation } from './foundation.ts';

const FOLLOW_MS = 30_000;

export function openCatalogAdmin(
  base: Foundation,
  config: ConfigFile,
  notices: Notices,
  announcements: Announcements,
): { catalog: CatalogAdmin; rateSource: RateSource; lists: ListAdmin; staleRate: OwnFacts['staleRate'] } {
  const { clock, background, environment } = base;
  // A failed read is no failure of the change: the catalog listens for changes and reads again until it succeeds.
  const tools = { ...base.tools, applied: () => base.catalog.reload().catch(() => undefined) };
  const catalog = createCatalogAdmin(tools, base.sources, config.money);
  const { fetchAllowedHosts: allowedHosts, upstreamClient: client } = config.settings;
  const fetchAddress = createSafeFetch({ clock, client, allowedHosts, egress: environment.egress });
  let stale: { since: Date; problem: string | null; seenMs: number } | undefined;
  // It is said again on every tick for as long as it is so.
  const staleRate = () => (stale && stale.seenMs > clock.now() - 2 * FOLLOW_MS ? stale : undefined);
  const rateSource = createRateSource({
    tools,
    pricing: catalog.pricing,
    fetchAddress,
    fixedByFile: config.money.exchangeRate !== undefined,
    async onStale({ since, problem }) {
      stale = { since, problem, seenMs: clock.now() };
    },
  });
  background.every(FOLLOW_MS, 'announced rates', () => catalog.follow());
  background.every(FOLLOW_MS, 'exchange rate', () => rateSource.tick());
  const lists = createListAdmin({
    tools,
    dated: { sources: base.sources, file: config.money },
    fetchAddress,
    onNews: (news, actor) => announceModels(base, notices, announcements, news, actor),
  });
  background.every(FOLLOW_MS, 'announced lists', () => lists.follow());
  return { catalog, rateSource, lists, staleRate };
}

/** So that everybody can tell what was never called from what is well, also after a restart. */
export function noteUseOfRoutes(
  { background }: Foundation,
  { providers }: CatalogAdmin,
  router: Pick<Router, 'snapshot'>,
): void {
  background.every(FOLLOW_MS, 'use of providers', () =>
    providers.used(
      router
        .snapshot()
        .filter(({ used }) => used)
        .map(({ provider, upstream }) => ({ provider, upstream })),
    ),
  );
}

const ANNOUNCED_MS = 14 * DAY_MS;
const MAX_NAMED = 50;

/** Everybody reads of new models; whoever used one that goes is told. */
async function announceModels(
  { db, clock }: Foundation,
  notices: Notices,
  announcements: Announcements,
  { added, withdrawn, from: at }: ListNews,
  actor: string,
): Promise<void> {
  const now = new Date(clock.now());
  const from = at.toISOString();
  for (const model of withdrawn) {
    const users = await db.query<{ account_id: string }>(
      'select distinct account_id from usage_daily where model = $1 and day > $2::date - 30',
      [model, now],
    );
    for (const { account_id: accountId } of users) {
      const news = {
        accountId,
        event: 'model.withdrawn' as const,
        occasion: `${model}:${from}`,
        data: { model, from },
      };
      await notices.raise({ ...news, link: '/catalog' });
    }
  }
  const served = await db.query<{ id: string }>(
    'select distinct model_id as id from route where model_id = any($1) order by 1',
    [added],
  );
  if (served.length === 0) return;
  const names = served.map(({ id }) => id).slice(0, MAX_NAMED);
  await announcements.announce(
    {
      title: { fa: 'مدل‌های جدید', en: 'New models' },
      text: { fa: `این مدل‌ها اضافه شد: ${names.join('، ')}`, en: `Now offered: ${names.join(', ')}` },
      until: new Date(clock.now() + ANNOUNCED_MS),
    },
    actor,
  );
}
