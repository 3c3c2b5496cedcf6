/** The page for addresses that do not exist. Programs get the same error as JSON. */

import type { Text } from '@dargah/core/text.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type FramedPage, frame } from './frame.ts';
import type { PageSources } from './index.ts';
import { sendPage, writtenPage } from './kept-pages.ts';
import { html } from './markup.ts';
import { addressOf, type PageVisit, visitOf } from './visit.ts';

const TEXTS = {
  title: { fa: 'این صفحه پیدا نشد', en: 'This page was not found' },
  text: {
    fa: 'شاید آدرس را نادرست نوشته‌اید، یا صفحه جابه‌جا شده است.',
    en: 'The address may be mistyped, or the page has moved.',
  },
  api: { fa: 'اگر برنامه‌ای می‌نویسید، آدرس درست این است:', en: 'If you are writing a program, the right address is:' },
  home: { fa: 'صفحهٔ اصلی', en: 'Home' },
  catalog: { fa: 'مدل‌ها و قیمت‌ها', en: 'Models and prices' },
} satisfies Record<string, Text>;

/** `rightPath` is where a program with this address meant to go. */
export type SendMissing = (
  request: FastifyRequest,
  reply: FastifyReply,
  rightPath: string | undefined,
) => Promise<FastifyReply>;

/** Whether a request asks for a page, and not for an answer of the API. */
export function isReader({ method, url, headers }: FastifyRequest): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || url === '/api' || url.startsWith('/api/')) return false;
  return headers.accept?.includes('text/html') ?? false;
}

export function missingPages({ site, brand, origin }: Pick<PageSources, 'site' | 'brand' | 'origin'>): SendMissing {
  return async (request, reply, rightPath) => {
    // The language switch leads home, because this address exists in neither language.
    const visit = { ...visitOf(request, origin), path: '/', query: new URLSearchParams() };
    const manifest = await site.manifest().catch(() => undefined);
    const dress = { manifest, brand: brand() };
    const page = writtenPage(frame(visit, dress, missingPage(visit, rightPath)));
    return sendPage(request, reply.code(404), page, visit.origin);
  };
}

function missingPage({ language }: PageVisit, rightPath: string | undefined): FramedPage {
  const say = (text: Text) => text[language];
  const hint =
    rightPath === undefined
      ? undefined
      : html`<p>${say(TEXTS.api)} <bdi class="id boxed" dir="ltr"><span>${rightPath}</span></bdi></p>`;
  return {
    title: say(TEXTS.title),
    description: say(TEXTS.text),
    unlisted: true,
    content: html`<div class="narrow-page stack"><div class="lede"><h1>${say(TEXTS.title)}</h1><p>${say(TEXTS.text)}</p></div>${hint}<p><a class="btn" href="${addressOf(language, '/')}">${say(TEXTS.home)}</a> <a class="btn plain" href="${addressOf(language, '/catalog')}">${say(TEXTS.catalog)}</a></p></div>`,
  };
}
