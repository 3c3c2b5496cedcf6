/** `GET /api/openapi.json`: written once, when first asked for, from everything that is registered. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { RouteDescription } from '../routes/describe-route.ts';
import { VERSION } from '../version.ts';
import { openApiDocument } from './document.ts';

export function serveDocument(app: FastifyInstance, endpoints: () => RouteDescription[]): void {
  let written: { text: string; tag: string } | undefined;
  app.get('/api/openapi.json', async (request, reply) => {
    written ??= write(endpoints());
    reply.header('etag', written.tag).header('cache-control', 'no-cache');
    // Documents are read by tools in browsers of other origins, and hold nothing secret.
    reply.header('access-control-allow-origin', '*');
    if (request.headers['if-none-match'] === written.tag) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(written.text);
  });
}

function write(endpoints: RouteDescription[]): { text: string; tag: string } {
  const text = JSON.stringify(openApiDocument({ version: VERSION, endpoints }));
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}
