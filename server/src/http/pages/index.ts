/** Pages for people, rendered here and served from here: in both languages, for search engines too, and readable without script. */

import type { RouteDescription } from '@dargah/api/describe-route.ts';
import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { FastifyInstance } from 'fastify';
import type { Brand, SiteTexts } from '../../branding/index.ts';
import type { CatalogSnapshot, PastPrice, PriceChange, PriceQuestion } from '../../catalog/index.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Pictures } from '../../pictures/index.ts';
import { type KeptTerms, keptThings } from '../../privacy/index.ts';
import type { Incidents } from '../../support/index.ts';
import type { UptimeReports } from '../../uptime/index.ts';
import { publicSite } from '../public-site.ts';
import type { BuiltSite } from '../web/built-site.ts';
import { brandFiles } from './brand.ts';
import { catalogPage } from './catalog/catalog.ts';
import { addressQuery, readCatalogQuestion } from './catalog/catalog-filter.ts';
import { modelPath } from './catalog/catalog-row.ts';
import { comparedModels, comparePage } from './catalog/compare.ts';
import { modelPage, workOf, workQuery } from './catalog/model.ts';
import { crawlerFiles } from './crawler-files.ts';
import { drawnPictures } from './drawn-pictures.ts';
import { type FramedPage, frame } from './frame.ts';
import { KeptFact, KeptFacts } from './kept-fact.ts';
import { KeptPages, OWN_ORIGIN, sendPage } from './kept-pages.ts';
import { landingPage } from './landing.ts';
import { priceFeeds } from './price-feed.ts';
import { statusPage } from './status.ts';
import { DocsSearch, docsQuestion } from './texts/docs-search.ts';
import { guidePage } from './texts/guide.ts';
import { operatorPage, privacyPage, publishedPages } from './texts/operator-pages.ts';
import { referencePage } from './texts/reference.ts';
import { whatsNewPage } from './texts/whats-new.ts';
import { type PageVisit, visitOf } from './visit.ts';

export interface PageSources {
  clock: Clock;
  site: BuiltSite;
  brand(): Brand;
  pictures: Pick<Pictures, 'find' | 'servedAt'>;
  catalog(): CatalogSnapshot;
  endpoints(): readonly RouteDescription[];
  uptime: UptimeReports;
  incidents: Incidents['list'];
  prices(modelId: string): Promise<PastPrice[]>;
  priceChanges(question: PriceQuestion): Promise<PriceChange[]>;
  siteTexts(): SiteTexts;
  /** The retention settings in force. */
  kept: KeptTerms;
  /** Whether the operator allows the maker's dollar price to be shown. */
  listPricesShown(): boolean;
  publicUrl: string | undefined;
  /** Our address as the outside knows it, given how this call named it. */
  origin(asCalled: string): string;
}

/** What a page is made from. It is rendered again when one of the sources is another object or the view differs. */
interface Made {
  /** Its own path, where several addresses lead to it. */
  path?: string;
  /** The part of the query that decides the page, in one form; the rest never reaches a cached page. */
  query?: URLSearchParams;
  /** What decides the page beside the query. */
  view?: string;
  sources: readonly unknown[];
  page(visit: PageVisit): FramedPage;
}

type Make = (visit: PageVisit) => Made | Promise<Made>;

/** It must never be written to. */
const NO_QUERY = new URLSearchParams();
const INCIDENTS_MS = 3_000;
const MAX_MODELS = 500;

export function pages(app: FastifyInstance, from: PageSources): void {
  brandFiles(app, from.brand);
  drawnPictures(app, from.pictures, publicSite(from.publicUrl, app.server));
  crawlerFiles(app, from);
  priceFeeds(app, from);
  const kept = new KeptPages();
  const facts = factsOf(from);
  const serve = (path: string, make: Make) => {
    for (const prefix of ['', '/fa', '/en'])
      app.get(prefix + path === '/fa/' || prefix + path === '/en/' ? prefix : prefix + path, async (request, reply) => {
        const asked = visitOf(request, from.origin);
        const { path: own = path, query = NO_QUERY, view = query.toString(), sources, page } = await make(asked);
        const manifest = await from.site.manifest().catch(() => undefined);
        const brand = from.brand();
        const published = publishedPages(brand, from.siteTexts());
        const { language, theme = '', signedIn } = asked;
        const visit = { ...asked, path: own, query, origin: OWN_ORIGIN };
        const made = kept.page(
          [own, language, theme, signedIn].join(' '),
          view,
          [manifest, brand, from.siteTexts(), ...sources],
          () => frame(visit, { manifest, brand, published }, page(visit)),
        );
        return sendPage(request, reply, made, asked.origin);
      });
  };
  serve('/', () => {
    const catalog = from.catalog();
    return { sources: [catalog], page: (visit) => landingPage(visit, catalog) };
  });
  serve('/catalog', async ({ query }) => {
    const question = readCatalogQuestion(query);
    const shown = { catalog: from.catalog(), uptime: await facts.uptime.get() };
    return {
      query: addressQuery(question),
      sources: [shown.catalog, shown.uptime],
      page: (visit) => catalogPage(visit, shown, question),
    };
  });
  serve('/compare', async ({ query }) => {
    const catalog = from.catalog();
    const uptime = await facts.uptime.get();
    const { shown, left } = comparedModels(catalog, query);
    const named = new URLSearchParams(shown.map(({ id }): [string, string] => ['m', id]));
    return {
      query: named,
      view: `${named.toString()}${left ? ' and more' : ''}`,
      sources: [catalog, uptime],
      page: (visit) => comparePage({ ...visit, query }, catalog, uptime),
    };
  });
  serve('/models/*', (visit) => modelView(visit, from, facts));
  serve('/status', async () => {
    const shown = {
      catalog: from.catalog(),
      uptime: await facts.uptime.get(),
      incidents: (await facts.incidents.get()) ?? [],
    };
    return { sources: Object.values(shown), page: (visit) => statusPage(visit, shown) };
  });
  serve('/privacy', () => {
    const { privacy } = from.siteTexts();
    const kept = keptThings(from.kept);
    return { sources: [privacy, JSON.stringify(kept)], page: (visit) => privacyPage(visit, privacy, kept) };
  });
  for (const name of ['terms', 'contact'] as const)
    serve(`/${name}`, () => {
      const [text, brand] = [from.siteTexts()[name], from.brand()];
      return { sources: [text], page: (visit) => operatorPage(visit, name, text, brand) };
    });
  serve('/changelog', () => ({ sources: [], page: whatsNewPage }));
  serve('/guide', () => ({ sources: [], page: guidePage }));
  const docs = new DocsSearch(from.endpoints);
  serve('/docs/search', ({ query }) => {
    const question = docsQuestion(query);
    return {
      ...(question !== '' && { query: new URLSearchParams({ q: question }) }),
      sources: [],
      page: (visit) => docs.page(visit, question),
    };
  });
  serve('/docs', () => ({ sources: [], page: (visit) => referencePage(visit, from.endpoints()) }));
}

type Facts = ReturnType<typeof factsOf>;

function factsOf({ clock, uptime, incidents, prices }: PageSources) {
  return {
    uptime: new KeptFact(clock, MINUTE_MS, () => uptime.overview()),
    incidents: new KeptFact(clock, INCIDENTS_MS, () => incidents()),
    ofModel: new KeptFacts(
      MAX_MODELS,
      (id) =>
        new KeptFact(clock, MINUTE_MS, async () => ({ uptime: await uptime.ofModel(id), history: await prices(id) })),
    ),
  };
}

async function modelView(visit: PageVisit, from: PageSources, facts: Facts): Promise<Made> {
  const model = from.catalog().models.get(idOf(visit.path));
  if (model === undefined) throw new GatewayError('not_found');
  const known = await facts.ofModel.get(model.id);
  const work = workOf(visit.query);
  const usual = workOf(NO_QUERY);
  const isUsual = work.messages === usual.messages && work.input === usual.input && work.output === usual.output;
  return {
    path: modelPath(model.id),
    ...(!isUsual && { query: workQuery(work) }),
    // A change elsewhere in the catalog leaves this model object, and so its cached page, as it was.
    sources: [model, known, from.listPricesShown()],
    page: (shown) =>
      modelPage(
        { ...shown, query: new URLSearchParams() },
        {
          model,
          history: known?.history ?? [],
          uptime: known?.uptime,
          nowMs: from.clock.now(),
          inDollars: from.listPricesShown(),
        },
        work,
      ),
  };
}

function idOf(path: string): string {
  const text = path.slice('/models/'.length);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
