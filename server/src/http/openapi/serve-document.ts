/**
 * `GET /api/openapi.json` for everybody, `GET /api/admin/openapi.json` with the operator's endpoints for staff. Each is written once, when
 * first asked for, from everything that is registered.
 */
import { createHash } from 'node:crypto';
import { STAFF_READ } from '@dargah/api/access.ts';
import { AnyJson } from '@dargah/api/building-blocks.ts';
import { describeRoute, type RouteDescription } from '@dargah/api/describe-route.ts';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../../core/version.ts';
import type { Routes } from '../routes/register.ts';
import { openApiDocument } from './document.ts';

const getOperatorDocument = describeRoute({
  method: 'GET',
  path: '/api/admin/openapi.json',
  operationId: 'getOperatorDocument',
  tag: 'Service',
  summary: { fa: 'سند OpenAPI با آدرس‌های مدیر سرویس', en: "The OpenAPI document with the operator's endpoints" },
  result: AnyJson,
  access: STAFF_READ,
});

/** What customers and the public may know; the operator's addresses are left out. */
export function isPublic({ path, access, unlisted }: RouteDescription): boolean {
  return access.guard !== 'operator' && !path.startsWith('/api/admin/') && !unlisted;
}

export function serveDocument(app: FastifyInstance, { register, described }: Routes): void {
  let written: { text: string; tag: string } | undefined;
  register(getOperatorDocument, async () =>
    openApiDocument({ version: VERSION, endpoints: described.filter(({ unlisted }) => !unlisted) }),
  );
  app.get('/api/openapi.json', async (request, reply) => {
    written ??= write(described.filter(isPublic));
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
