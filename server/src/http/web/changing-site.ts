/** For `npm run dev`: tells open pages that the browser side was rebuilt. Any other build has no such address. */
import { type FSWatcher, watch } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { BuiltSite } from './built-site.ts';

/** A page reconnects to a restarted server within this time. */
const RETRY_MS = 300;

export function changingSite(app: FastifyInstance, site: BuiltSite): void {
  app.get('/assets/changes', async (_request, reply) => {
    if (!(await site.manifest()).changing) throw new GatewayError('not_found');
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    reply.raw.write(`retry: ${RETRY_MS}\n`);
    let watcher: FSWatcher | undefined;
    reply.raw.once('close', () => watcher?.close());
    const tell = async () => {
      const built = await site.manifest().catch(() => undefined);
      if (built === undefined || reply.raw.destroyed) return;
      const { style, site: siteStyle, siteScript, console: customers, operator } = built;
      const told = { styles: [style, siteStyle], scripts: [siteScript, customers, operator] };
      reply.raw.write(`data: ${JSON.stringify(told)}\n\n`);
    };
    await tell();
    watcher = watch(site.folder, (_event, name) => {
      if (name === 'manifest.json') void tell();
    });
  });
}
