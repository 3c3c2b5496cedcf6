/** Files for search engines: robots.txt and the sitemap of both languages. */
import type { FastifyInstance } from 'fastify';
import type { Brand, SiteTexts } from '../../branding/index.ts';
import type { CatalogSnapshot } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { modelPath } from './catalog/catalog-row.ts';
import { publishedPages } from './texts/operator-pages.ts';
import { escapedXml } from './xml.ts';

const CLOSED = ['/api/', '/console', '/operator', '/pay/'];
const PAGES = ['', '/catalog', '/compare', '/status', '/guide', '/docs', '/changelog'];
const LANGUAGES = ['fa', 'en'] as const;

export interface CrawledSite {
  catalog(): CatalogSnapshot;
  brand(): Brand;
  siteTexts(): SiteTexts;
  publicUrl: string | undefined;
}

export function crawlerFiles(app: FastifyInstance, { catalog, brand, siteTexts, publicUrl }: CrawledSite): void {
  const robots = ['User-agent: *', ...CLOSED.map((path) => `Disallow: ${path}`)];
  if (publicUrl !== undefined) robots.push('', `Sitemap: ${publicUrl}/sitemap.xml`);
  app.get('/robots.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(`${robots.join('\n')}\n`));
  let made: { of: readonly unknown[]; text: string } | undefined;
  app.get('/sitemap.xml', (_request, reply) => {
    // Without a configured public address any Host header would become ours, so nothing is listed.
    if (publicUrl === undefined) throw new GatewayError('not_found');
    const current = catalog();
    const of = [current, brand(), siteTexts()];
    if (made === undefined || of.some((one, at) => one !== made?.of[at])) {
      const written = publishedPages(brand(), siteTexts()).map(([path]) => path);
      made = { of, text: sitemap(publicUrl, current, written) };
    }
    return reply.type('application/xml; charset=utf-8').send(made.text);
  });
}

function sitemap(site: string, { models }: CatalogSnapshot, written: readonly string[]): string {
  const paths = [...PAGES, ...written, ...[...models.keys()].map(modelPath)];
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${paths.flatMap((path) => LANGUAGES.map((language) => entry(site, path, language))).join('\n')}
</urlset>
`;
}

/** Each page names its counterpart in the other language. */
function entry(site: string, path: string, language: string): string {
  const address = (of: string) => escapedXml(`${site}/${of}${path}`);
  const twins = LANGUAGES.map((of) => `<xhtml:link rel="alternate" hreflang="${of}" href="${address(of)}"/>`).join('');
  return `<url><loc>${address(language)}</loc>${twins}</url>`;
}
