/** Pages for people, rendered here and served from here: no other host, no script. */
import type { FastifyInstance } from 'fastify';
import type { CatalogSnapshot } from '../../catalog/index.ts';
import type { RouteDescription } from '../routes/describe-route.ts';
import { landingPage } from './landing.ts';
import { pageRequestOf, sendPage } from './layout.ts';
import { CatalogPages, ReferencePages } from './rendered.ts';
import { STYLESHEET } from './stylesheet.ts';

export interface PageSources {
  catalog(): CatalogSnapshot;
  endpoints(): readonly RouteDescription[];
}

export function pages(app: FastifyInstance, { catalog, endpoints }: PageSources): void {
  app.get('/', async (request, reply) => sendPage(reply, landingPage(pageRequestOf(request))));
  const models = new CatalogPages();
  const reference = new ReferencePages();
  app.get('/catalog', async (request, reply) => sendPage(reply, models.page(pageRequestOf(request), catalog())));
  app.get('/docs', async (request, reply) => sendPage(reply, reference.page(pageRequestOf(request), endpoints)));
  app.get('/assets/pages.css', async (_request, reply) =>
    reply.header('cache-control', 'max-age=300').type('text/css; charset=utf-8').send(STYLESHEET),
  );
}
