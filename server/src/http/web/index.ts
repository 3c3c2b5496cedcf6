/** The console (`/console`) and the operator's side (`/operator`): one page for every address below, and the built files. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Language } from '@dargah/core/text.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../branding/index.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { languageOf } from '../incoming.ts';
import { brandStyle, logoAddress, mark } from '../pages/brand.ts';
import { html, Markup } from '../pages/markup.ts';
import { chosen, hasSession } from '../pages/visit.ts';
import type { BuiltSite, Manifest } from './built-site.ts';
import { changingSite } from './changing-site.ts';
import { firstData } from './first-data.ts';

/**
 * It allows no inline code and nothing from other hosts. Pictures may be data URLs, because attachments are previewed before they
 * are sent.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

export function webApp(app: FastifyInstance, site: BuiltSite, brand: () => Brand, clock: Pick<Clock, 'now'>): void {
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const language = languageFor(request);
    const isMember = isConsole(request) && hasSession(request.headers.cookie ?? '');
    const first = isMember ? await firstData(app, request, language, clock.now()) : undefined;
    const text = `<!doctype html>\n${frame(request, language, await site.manifest(), brand(), first).text}\n`;
    reply
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .header('permissions-policy', 'camera=(), microphone=(), geolocation=()')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('vary', 'accept-language, cookie, accept-encoding')
      // The data inside a page is personal.
      .header('cache-control', first === undefined ? 'no-cache' : 'private, no-store')
      .type('text/html; charset=utf-8');
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(text);
    return reply.header('content-encoding', 'gzip').send(await promisify(gzip)(text));
  };
  for (const area of ['/console', '/operator']) {
    app.get(area, page);
    app.get(`${area}/*`, page);
  }
  changingSite(app, site);
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = await site.file(request.params.name);
    if (file === undefined) throw new GatewayError('not_found');
    const ending = request.params.name.slice(request.params.name.lastIndexOf('.') + 1);
    // The file's name changes with its content, so it is cached for ever.
    reply.header('cache-control', 'public, max-age=31536000, immutable').header('x-content-type-options', 'nosniff');
    reply.header('vary', 'accept-encoding').type(TYPES[ending] ?? 'application/octet-stream');
    const accepted = request.headers['accept-encoding'] ?? '';
    if (file.brotli !== undefined && /\bbr\b/.test(accepted))
      return reply.header('content-encoding', 'br').send(file.brotli);
    if (file.gzip !== undefined && /\bgzip\b/.test(accepted))
      return reply.header('content-encoding', 'gzip').send(file.gzip);
    return reply.send(file.bytes);
  });
}

function isConsole(request: FastifyRequest): boolean {
  return /^\/console(?:[/?]|$)/.test(request.url);
}

/** Language and theme are in cookies, so that the first paint has the right direction and colour. Neither is a secret. */
function languageFor(request: FastifyRequest): Language {
  const chosenOne = chosen(request.headers.cookie ?? '', 'dargah_lang', ['fa', 'en']);
  return (chosenOne ?? languageOf(request.headers['accept-language'])) as Language;
}

function frame(
  request: FastifyRequest,
  language: Language,
  manifest: Manifest,
  brand: Brand,
  first: object | undefined,
): Markup {
  const theme = chosen(request.headers.cookie ?? '', 'dargah_theme', ['light', 'dark']);
  const area = isConsole(request) ? manifest.console : manifest.operator;
  const inFrame = html`${mark(brand)}${brand.name[language]}`.text;
  // It is a function, because a name may contain `$`, which a replacement text would interpret. Readers with our font in the
  // cache see it at once; for all others it loads after the script.
  const hasFace = chosen(request.headers.cookie ?? '', 'dargah_face', [manifest.font]) !== undefined;
  const waiting = first && (hasFace ? html` data-still="latin"` : html` data-still="all"`);
  const still = first && new Markup(manifest.frames[language].replaceAll('%BRAND%', () => inFrame));
  return html`<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}" ${theme === undefined ? undefined : html`data-theme="${theme}"`}${waiting}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${brand.name[language]}</title>
<link rel="icon" href="${manifest.iconData}" type="image/svg+xml">
<link rel="stylesheet" href="/assets/${manifest.style}">
${brandStyle(brand)}
<script type="module" src="/assets/${area.script}" fetchpriority="low"></script>
${[...area.first, ...pageFiles(request, area.pages)].map((name) => html`<link rel="modulepreload" href="/assets/${name}" fetchpriority="low">`)}
${hasFace || !first ? html`<link rel="preload" href="/assets/${manifest.font}" as="font" type="font/woff2" crossorigin fetchpriority="low">` : undefined}
</head>
<body>
<div id="root" data-fa="${brand.name.fa}" data-en="${brand.name.en}" data-logo="${logoAddress(brand) ?? ''}" data-face="${manifest.font}">${still}</div>
${first && html`<template id="first">${inText(first)}</template>`}
<noscript><p>${NEEDS_SCRIPT[language]}</p></noscript>
</body>
</html>`;
}

/**
 * The overview is in the first files; chunks of other pages are preloaded, so that they are not discovered only after
 * these have run.
 */
function pageFiles({ url }: FastifyRequest, pages: Record<string, string[]>): string[] {
  const path = (url.split('?', 1)[0] ?? '').replace(/\/$/, '');
  if (path === '/console') return [];
  return pages[path === '/console/playground' ? 'playground' : 'others'] ?? [];
}

/** JSON as the text of an element: only what could end the element or begin another is escaped. */
function inText(value: object): Markup {
  return new Markup(JSON.stringify(value).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'));
}

const NEEDS_SCRIPT: Record<Language, string> = {
  fa: 'پنل به جاوااسکریپت نیاز دارد. صفحه‌های عمومی و راهنما بدون آن هم خوانده می‌شوند.',
  en: 'The console needs JavaScript. The public pages and the guide can be read without it.',
};
