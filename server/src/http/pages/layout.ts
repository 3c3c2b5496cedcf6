/** The frame of every page, in both languages and both directions. No script at all: the policy forbids it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Language, Text } from '../../core/errors.ts';
import { languageOf } from '../incoming.ts';
import { html, type Markup } from './markup.ts';

export interface PageRequest {
  language: Language;
  query: URLSearchParams;
  /** `http://host:port`, as the reader sees it; for commands to copy. */
  origin: string;
}

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function pageRequestOf(request: FastifyRequest): PageRequest {
  const query = new URLSearchParams(request.url.split('?')[1] ?? '');
  const wanted = query.get('lang');
  const language = wanted === 'en' || wanted === 'fa' ? wanted : languageOf(request.headers['accept-language']);
  return { language, query, origin: `${request.protocol}://${request.host}` };
}

export function sendPage(reply: FastifyReply, page: Markup): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .header('vary', 'accept-language')
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>\n${page.text}\n`);
}

const LINKS: [path: string, name: Text][] = [
  ['/', { fa: 'درگاه', en: 'Dargah' }],
  ['/catalog', { fa: 'مدل‌ها', en: 'Models' }],
  ['/docs', { fa: 'راهنمای API', en: 'API reference' }],
];

export function layout(request: PageRequest, path: string, title: string, content: Markup): Markup {
  const { language } = request;
  const other = language === 'fa' ? 'en' : 'fa';
  const switched = new URLSearchParams(request.query);
  switched.set('lang', other);
  return html`<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/assets/pages.css">
</head>
<body>
<header class="bar"><nav>${LINKS.map(
    ([href, name], index) =>
      html`<a href="${withLanguage(href, language)}" ${href === path ? html`aria-current="page"` : undefined} class="${index === 0 ? 'brand' : ''}">${name[language]}</a>`,
  )}</nav><a class="switch" href="${path}?${switched.toString()}" lang="${other}">${other === 'fa' ? 'فارسی' : 'English'}</a></header>
<main>${content}</main>
</body>
</html>`;
}

export function withLanguage(path: string, language: Language): string {
  return `${path}?lang=${language}`;
}
