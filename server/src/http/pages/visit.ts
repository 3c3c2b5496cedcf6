/** Who reads a page: language, theme, and the address as they see it. */

import type { Language } from '@dargah/core/text.ts';
import type { FastifyRequest } from 'fastify';
import { languageOf } from '../incoming.ts';

export type Theme = 'light' | 'dark';

export interface PageVisit {
  language: Language;
  /** The path without the prefix of the language: `/catalog`. */
  path: string;
  query: URLSearchParams;
  /** `https://host`, as the reader sees it; for commands to copy and for search engines. */
  origin: string;
  /** What the reader chose; undefined follows the system. */
  theme: Theme | undefined;
  /** Where the language stands in the address: before the path, or as `lang` on pages that belong to one person. */
  languageIn: 'path' | 'query';
  /** The request has a session cookie. Only the console checks whether it is valid. */
  signedIn: boolean;
}

/** `/fa/catalog` and `/en/catalog` are fixed; `/catalog` speaks the reader's language. */
const PREFIX = /^\/(fa|en)(?=\/|$)/;

/** A host name with a port; anything else that a reader sends there is not repeated on pages. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export function visitOf(
  request: FastifyRequest,
  originOf: (asCalled: string) => string,
  languageIn: PageVisit['languageIn'] = 'path',
): PageVisit {
  const [address = '/', search = ''] = request.url.split('?', 2);
  const query = new URLSearchParams(search);
  const asked = languageIn === 'path' ? PREFIX.exec(address)?.[1] : query.get('lang');
  const cookie = request.headers.cookie ?? '';
  const preferred = chosen(cookie, 'dargah_lang', ['fa', 'en']) ?? languageOf(request.headers['accept-language']);
  return {
    language: asked === 'fa' || asked === 'en' ? asked : preferred,
    languageIn,
    path: address.replace(PREFIX, '') || '/',
    query,
    origin: originOf(`${request.protocol}://${HOST.test(request.host) ? request.host : 'localhost'}`),
    theme: chosen(cookie, 'dargah_theme', ['light', 'dark']),
    signedIn: hasSession(cookie),
  };
}

/** The value of a cookie if it is one of these; cookies are the reader's own text and may hold anything. */
export function chosen<T extends string>(cookie: string, name: string, values: readonly T[]): T | undefined {
  const found = new RegExp(`(?:^|;\\s*)${name}=([^;]*)`).exec(cookie)?.[1];
  return values.find((value) => value === found);
}

/** The same page in another language. */
export function switchedAddress({ languageIn, path, query }: PageVisit, language: Language): string {
  if (languageIn === 'path') return addressOf(language, path, query);
  return `${path}?${new URLSearchParams({ ...Object.fromEntries(query), lang: language }).toString()}`;
}

/** The fixed address of a page in a language. */
export function addressOf(language: Language, path: string, query?: URLSearchParams): string {
  const text = query?.toString() ?? '';
  return `/${language}${path === '/' ? '' : path}${text === '' ? '' : `?${text}`}`;
}

/** Whether the browser has a session cookie; it may have expired. */
export function hasSession(cookie: string): boolean {
  return /(?:^|; ?)(?:__Host-)?dargah=[^;]/.test(cookie);
}
