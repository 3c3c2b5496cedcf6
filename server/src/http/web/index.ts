/** The console (`/console`) and the operator's side (`/operator`): one page for every address below, and the built files. */

import type { Language } from '@dargah/core/text.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Brand } from '../../branding/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { languageOf } from '../incoming.ts';
import { brandStyle, logoAddress } from '../pages/brand.ts';
import { html, type Markup } from '../pages/markup.ts';
import { chosen } from '../pages/visit.ts';
import type { BuiltSite, Manifest } from './built-site.ts';

/** No inline code, nothing from elsewhere. Pictures may be data: what a person attaches is shown before it is sent. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

export function webApp(app: FastifyInstance, site: BuiltSite, brand: () => Brand): void {
  const page = async (request: FastifyRequest, reply: FastifyReply) =>
    reply
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .header('permissions-policy', 'camera=(), microphone=(), geolocation=()')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('vary', 'accept-language, cookie')
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(`<!doctype html>\n${frame(request, await site.manifest(), brand()).text}\n`);
  for (const area of ['/console', '/operator']) {
    app.get(area, page);
    app.get(`${area}/*`, page);
  }
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = await site.file(request.params.name);
    if (file === undefined) throw new GatewayError('not_found');
    const ending = request.params.name.slice(request.params.name.lastIndexOf('.') + 1);
    // The name changes with the content, so nothing is ever asked for twice.
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

/** Language and theme are in cookies, so that the first paint has the right direction and colour. Neither is a secret. */
function frame(request: FastifyRequest, manifest: Manifest, brand: Brand): Markup {
  const cookie = request.headers.cookie ?? '';
  const language = chosen(cookie, 'dargah_lang', ['fa', 'en']) ?? languageOf(request.headers['accept-language']);
  const theme = chosen(cookie, 'dargah_theme', ['light', 'dark']);
  return html`<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}" ${theme === undefined ? undefined : html`data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${brand.name[language as Language]}</title>
<link rel="icon" href="/assets/${manifest.icon}" type="image/svg+xml">
<link rel="preload" href="/assets/${manifest.font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/assets/${manifest.style}">
${brandStyle(brand)}
${manifest.first.map((name) => html`<link rel="modulepreload" href="/assets/${name}">`)}
<script type="module" src="/assets/${manifest.script}"></script>
</head>
<body>
<div id="root" data-fa="${brand.name.fa}" data-en="${brand.name.en}" data-logo="${logoAddress(brand) ?? ''}"></div>
<noscript><p>${NEEDS_SCRIPT[language as Language]}</p></noscript>
</body>
</html>`;
}

const NEEDS_SCRIPT: Record<Language, string> = {
  fa: 'پنل به جاوااسکریپت نیاز دارد. صفحه‌های عمومی و راهنما بدون آن هم خوانده می‌شوند.',
  en: 'The console needs JavaScript. The public pages and the guide can be read without it.',
};
