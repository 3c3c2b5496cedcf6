/**
 * Serves pictures by the address that their client got. The address is the key; the headers keep browsers from running
 * anything in it.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../../core/errors.ts';
import type { Pictures } from '../../pictures/index.ts';
import type { PublicSite } from '../public-site.ts';

export function drawnPictures(
  app: FastifyInstance,
  pictures: Pick<Pictures, 'find' | 'servedAt'>,
  site: PublicSite,
): void {
  pictures.servedAt(() => site().address);
  app.get<{ Params: { name: string } }>('/pictures/:name', async (request, reply) => {
    const found = await pictures.find(request.params.name);
    if (!found) throw new GatewayError('not_found');
    return reply
      .header('cache-control', 'private, max-age=3600')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('referrer-policy', 'no-referrer')
      .header('x-robots-tag', 'noindex')
      .header('content-length', found.bytes)
      .type(found.type)
      .send(Readable.from(found.parts, { objectMode: false }));
  });
}
