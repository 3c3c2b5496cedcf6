/** What operators do with the catalog, wired, and what follows the dates of prices while nobody asks. */

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
import { DAY_MS } from '../core/time-spans.ts';
import type { Notices } from '../notices/index.ts';
import { createSafeFetch } from '../platform/upstream/index.ts';
import type { Announcements } from '../support/index.ts';
import type { Foundation } from './foundation.ts';

const FOLLOW_MS = 30_000;

export function openCatalogAdmin(
  base: Foundation,
  config: ConfigFile,
  notices: Notices,
  announcements: Announcements,
): { catalog: CatalogAdmin; rateSource: RateSource; lists: ListAdmin } {
  const { tools, clock, background, environment } = base;
  const catalog = createCatalogAdmin(tools, base.sources, config.money);
  const { fetchAllowedHosts: allowedHosts, upstreamClient: client } = config.settings;
  const fetchAddress = createSafeFetch({ clock, client, allowedHosts, egress: environment.egress });
  const rateSource = createRateSource({
    tools,
    pricing: catalog.pricing,
    fetchAddress,
    fixedByFile: config.money.exchangeRate !== undefined,
    async onStale({ since, problem, url }) {
      const data = { since: since.toISOString(), problem, url };
      const occasion = since.toISOString();
      await notices.raise({ accountId: '', event: 'rate.stale', occasion, data, link: '/operator/settings' });
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
  return { catalog, rateSource, lists };
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
      title: { fa: 'مدل‌های تازه', en: 'New models' },
      text: { fa: `این مدل‌ها افزوده شد: ${names.join('، ')}`, en: `Now offered: ${names.join(', ')}` },
      until: new Date(clock.now() + ANNOUNCED_MS),
    },
    actor,
  );
}
