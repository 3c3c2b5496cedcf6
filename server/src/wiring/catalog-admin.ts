/** The operator's changes of the catalog, wired, and the background work that applies prices at their dates. */

import { DAY_MS } from '@dargah/core/time-spans.ts';
import {
  type CatalogAdmin,
  createCatalogAdmin,
  createListAdmin,
  createRateSource,
  type ListAdmin,
  type ListNews,
  type RateSource,
  selectAccountsUsing,
  selectModelsWithRoutes,
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
  // A failed read does not fail the change: the catalog listens for changes and reads again until it succeeds.
  const tools = { ...base.tools, applied: () => base.catalog.reload().catch(() => undefined) };
  const catalog = createCatalogAdmin(tools, base.sources, config.money);
  const { fetchAllowedHosts: allowedHosts, upstreamClient: client } = config.settings;
  const fetchAddress = createSafeFetch({ clock, client, allowedHosts, egress: environment.egress });
  let stale: { since: Date; problem: string | null; seenMs: number } | undefined;
  // Reported again on every tick while it lasts.
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

/** Recorded so that "never called" and "healthy" can be told apart, also after a restart. */
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

/** All customers are told of new models; those who used a model that is removed are told of that. */
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
    for (const accountId of await selectAccountsUsing(db, model, now)) {
      const news = {
        accountId,
        event: 'model.withdrawn' as const,
        occasion: `${model}:${from}`,
        data: { model, from },
      };
      await notices.raise({ ...news, link: '/catalog' });
    }
  }
  const served = await selectModelsWithRoutes(db, added);
  if (served.length === 0) return;
  const names = served.slice(0, MAX_NAMED);
  await announcements.announce(
    {
      title: { fa: 'مدل‌های جدید', en: 'New models' },
      text: { fa: `این مدل‌ها اضافه شد: ${names.join('، ')}`, en: `Now offered: ${names.join(', ')}` },
      until: new Date(clock.now() + ANNOUNCED_MS),
    },
    actor,
  );
}
