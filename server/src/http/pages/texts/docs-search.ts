/** `/docs/search`: places of guide and reference for a question, in the language of the page, without script. */

import type { RouteDescription } from '@dargah/api/describe-route.ts';
import { ERRORS, type ErrorCode } from '@dargah/core/error-registry.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import { wordsOf } from '../../../knowledge/index.ts';
import { count } from '../figures.ts';
import type { FramedPage } from '../frame.ts';
import { html, type Markup } from '../markup.ts';
import { addressOf, type PageVisit } from '../visit.ts';
import { type DocsEntry, type DocsHit, DocsIndex } from './docs-index.ts';
import { docsSearchBox, MAX_QUESTION } from './docs-search-box.ts';
import { guideParts } from './guide.ts';
import { shownPath } from './reference.ts';
import { inLanguage } from './reference-texts.ts';
import { schemaWords } from './schema-table.ts';

const TEXTS = {
  title: { fa: 'جست‌وجو در راهنما و مرجع', en: 'Search guide and reference' },
  none: { fa: 'چیزی پیدا نشد. کلمهٔ دیگری را امتحان کنید.', en: 'Nothing found. Try another word.' },
  ask: { fa: 'چند کلمه بنویسید؛ مثلاً نام یک خطا یا یک فیلد.', en: 'Write a few words, such as an error or a field.' },
} satisfies Record<string, Text>;

const KINDS: Record<DocsEntry['kind'], Text> = {
  guide: { fa: 'راهنما', en: 'Guide' },
  endpoint: { fa: 'مرجع API', en: 'API reference' },
  error: { fa: 'خطا', en: 'Error' },
};

/** Characters of the text before the first word that was found, and after it. */
const BEFORE = 60;
const AFTER = 180;

/** The question is normalised, so that different spellings share one page. */
export function docsQuestion(query: URLSearchParams): string {
  return (query.get('q') ?? '')
    .slice(0, MAX_QUESTION)
    .replace(/\s{1,100}/g, ' ')
    .trim();
}

/** One index per language, built by the first who searches. */
export class DocsSearch {
  readonly #endpoints: () => readonly RouteDescription[];
  readonly #indexes = new Map<Language, DocsIndex>();

  constructor(endpoints: () => readonly RouteDescription[]) {
    this.#endpoints = endpoints;
  }

  page({ language }: PageVisit, question: string): FramedPage {
    const hits = question === '' ? [] : this.#index(language).search(question);
    const say = (text: Text) => text[language];
    const notice = question === '' ? say(TEXTS.ask) : hits.length === 0 ? say(TEXTS.none) : undefined;
    return {
      title: say(TEXTS.title),
      description: say(TEXTS.title),
      unlisted: true,
      content: html`<div class="stack docs-found"><div class="lede"><h1>${say(TEXTS.title)}</h1></div>${docsSearchBox(language, question)}${notice === undefined ? found(hits, language) : html`<p class="mid" role="status">${notice}</p>`}</div>`,
    };
  }

  #index(language: Language): DocsIndex {
    let index = this.#indexes.get(language);
    if (!index) {
      index = new DocsIndex([
        ...guideParts(language).map(({ id, title, text }) => ({
          kind: 'guide' as const,
          path: `/guide#${id}`,
          title,
          text,
        })),
        ...this.#endpoints().map((endpoint) => endpointEntry(endpoint, language)),
        ...(Object.keys(ERRORS) as ErrorCode[]).map((code) => errorEntry(code, language)),
      ]);
      this.#indexes.set(language, index);
    }
    return index;
  }
}

function endpointEntry(endpoint: RouteDescription, language: Language): DocsEntry {
  const { method, operationId, summary, description, body, result, query, tag } = endpoint;
  const shownText = description === undefined ? '' : inLanguage(description, language).text;
  const schemas = [query, body, result].map((schema) => (schema ? schemaWords(schema, language) : ''));
  return {
    kind: 'endpoint',
    path: `/docs#${operationId}`,
    title: `${method} ${shownPath(endpoint)}`,
    text: shownText === '' ? summary[language] : `${summary[language]}. ${shownText}`,
    more: `${operationId.replace(/([A-Z])/g, ' $1')} ${summary.en} ${tag} ${schemas.join(' ')}`,
  };
}

function errorEntry(code: ErrorCode, language: Language): DocsEntry {
  const { status, text } = ERRORS[code];
  return { kind: 'error', path: `/docs#error-${code}`, title: code, text: text[language], more: String(status) };
}

function found(hits: readonly DocsHit[], language: Language): Markup {
  return html`<p class="unit" role="status">${count(hits.length, language)}</p><ol class="panel docs-hits">${hits.map(
    ({ entry, met }) => {
      const { kind, path, title, text } = entry;
      const [page = '', anchor = ''] = path.split('#');
      return html`<li><a href="${addressOf(language, page)}#${anchor}"><span class="unit">${KINDS[kind][language]}</span> <b${kind === 'guide' ? undefined : html` dir="ltr"`}>${title}</b></a><p class="mid">${excerpt(text, met)}</p></li>`;
    },
  )}</ol>`;
}

/** A piece of the text around the first word that was found, with all of them marked. */
function excerpt(text: string, met: ReadonlySet<string>): Markup {
  const pieces = [...text.matchAll(/[\p{L}\p{N}\u200c]{1,60}/gu)];
  const marked = pieces.filter(([piece]) => wordsOf(piece).some((word) => met.has(word)));
  const first = marked[0]?.index ?? 0;
  const from = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const to = Math.min(text.length, first + AFTER);
  const shown: Markup[] = [];
  let at = from;
  for (const { 0: piece, index } of marked) {
    if (index < at || index + piece.length > to) continue;
    shown.push(html`${text.slice(at, index)}<mark>${piece}</mark>`);
    at = index + piece.length;
  }
  return html`${from > 0 ? '… ' : ''}${shown}${text.slice(at, to)}${to < text.length ? '…' : ''}`;
}
