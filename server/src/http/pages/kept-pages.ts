/**
 * Pages are rendered once for each change of what they show and not for each reader, because rendering is slow. The text is kept
 * with its digest (for readers who have it already) and its compressed form.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Markup } from './markup.ts';

export interface KeptPage {
  /** What the page was made of: the same objects give the same page. */
  sources: readonly unknown[];
  text: string;
  tag: string;
  gzipped: Promise<Buffer> | undefined;
}

/** Rendered pages that are kept; a view beyond them is rendered for each request. */
const MAX_PAGES = 300;
/** A bound on bytes too, so that a few huge pages do not push out all others. */
const MAX_BYTES = 48 * 1024 * 1024;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export class KeptPages {
  readonly #pages = new LRUCache<string, KeptPage>({
    max: MAX_PAGES,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ text }) => text.length,
  });

  page(name: string, sources: readonly unknown[], render: () => Markup): KeptPage {
    const known = this.#pages.get(name);
    if (known && known.sources.length === sources.length && known.sources.every((one, at) => one === sources[at]))
      return known;
    const page = writtenPage(render(), sources);
    this.#pages.set(name, page);
    return page;
  }
}

/** A page that is one person's is made for each asking. */
export function writtenPage(page: Markup, sources: readonly unknown[] = []): KeptPage {
  const text = `<!doctype html>\n${page.text}\n`;
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  return { sources, text, tag, gzipped: undefined };
}

export async function sendPage(request: FastifyRequest, reply: FastifyReply, page: KeptPage): Promise<FastifyReply> {
  reply
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=()')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('vary', 'accept-language, accept-encoding, cookie')
    .header('cache-control', reply.getHeader('cache-control') ?? 'no-cache')
    .header('etag', page.tag)
    .type('text/html; charset=utf-8');
  if (request.headers['if-none-match'] === page.tag) return reply.code(304).send();
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(page.text);
  page.gzipped ??= promisify(gzip)(page.text);
  return reply.header('content-encoding', 'gzip').send(await page.gzipped);
}
