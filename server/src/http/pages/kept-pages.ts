/**
 * Pages are rendered once for each change of what they show and not for each reader, because rendering is slow. The
 * text is cached with its digest (for readers who have it already) and its compressed form. Our own address is put in
 * when a page is sent: a reader can send any Host, and each would otherwise be another cached page.
 */
import { createHash, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { html, type Markup } from './markup.ts';
import { type CutText, packPieces, splicedGzip } from './spliced-gzip.ts';

export interface KeptPage {
  /** What the page was made from: the same objects give the same page. */
  sources: readonly unknown[];
  /** The text, split where our own address stands. */
  pieces: readonly string[];
  digest: string;
  bytes: number;
  /** The page with the address that was asked for first; where a public address is configured there is no other. */
  gzipped: { origin: string; bytes: Promise<Buffer> } | undefined;
  /** The page for every other name: it is larger, but made once for all of them. */
  cut: Promise<CutText> | undefined;
}

/** Placeholder for our own address in rendered pages. It is random, so no text of a reader is ever replaced. */
export const OWN_ORIGIN = `https://${randomBytes(12).toString('hex')}.invalid`;

interface Bounds {
  pages: number;
  bytes: number;
}

/** Pages without a query: as many as there are pages, models, languages and themes. */
const PLAIN: Bounds = { pages: 1_000, bytes: 48 * 1024 * 1024 };
/** Views by query, of which there is no end. They have their own cache, so that they evict no plain page. */
const ASKED: Bounds = { pages: 100, bytes: 16 * 1024 * 1024 };

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export class KeptPages {
  readonly #plain = room(PLAIN);
  readonly #asked = room(ASKED);

  /** `view` is what of the query decides the page; empty for the plain page. */
  page(name: string, view: string, sources: readonly unknown[], render: () => Markup): KeptPage {
    const pages = view === '' ? this.#plain : this.#asked;
    const full = `${name} ${view}`;
    const known = pages.get(full);
    if (known && known.sources.length === sources.length && known.sources.every((one, at) => one === sources[at]))
      return known;
    const page = writtenPage(render(), sources);
    pages.set(full, page);
    return page;
  }
}

function room({ pages, bytes }: Bounds): LRUCache<string, KeptPage> {
  return new LRUCache({ max: pages, maxSize: bytes, sizeCalculation: (page) => page.bytes });
}

/** A personal page is rendered for each request. */
export function writtenPage(page: Markup, sources: readonly unknown[] = []): KeptPage {
  const pieces = `<!doctype html>\n${page.text}\n`.split(OWN_ORIGIN);
  const digest = digestOf(pieces.join('\0'));
  return { sources, pieces, digest, bytes: page.text.length, gzipped: undefined, cut: undefined };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** `origin` is our address as this reader knows it. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: KeptPage,
  origin: string,
): Promise<FastifyReply> {
  const tag = tagOf(page, origin);
  reply
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=()')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('vary', 'accept-language, accept-encoding, cookie')
    .header('cache-control', reply.getHeader('cache-control') ?? 'no-cache')
    .header('etag', tag)
    .type('text/html; charset=utf-8');
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(textOf(page, origin));
  page.gzipped ??= { origin, bytes: promisify(gzip)(textOf(page, origin)) };
  reply.header('content-encoding', 'gzip');
  if (page.gzipped.origin === origin || page.pieces.length === 1) return reply.send(await page.gzipped.bytes);
  // Compressing costs more than all the rest, so it is not repeated for every Host that somebody sends.
  page.cut ??= packPieces(page.pieces);
  return reply.send(splicedGzip(await page.cut, html`${origin}`.text));
}

function textOf({ pieces }: KeptPage, origin: string): string {
  return pieces.length === 1 ? (pieces[0] ?? '') : pieces.join(html`${origin}`.text);
}

function tagOf({ pieces, digest }: KeptPage, origin: string): string {
  return pieces.length === 1 ? `"${digest}"` : `"${digest}-${digestOf(origin).slice(0, 8)}"`;
}
