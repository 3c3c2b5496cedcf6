/** The field that stands above guide, reference and what was found in them. */

import type { Language, Text } from '@dargah/core/text.ts';
import { icon } from '../icons.ts';
import { html, type Markup } from '../markup.ts';
import { addressOf } from '../visit.ts';

const TEXTS = {
  search: { fa: 'جست‌وجو در راهنما و مرجع API', en: 'Search guide and API reference' },
  go: { fa: 'جست‌وجو', en: 'Search' },
} satisfies Record<string, Text>;

export const MAX_QUESTION = 100;

export function docsSearchBox(language: Language, question = ''): Markup {
  return html`<form class="docs-search" method="get" action="${addressOf(language, '/docs/search')}" role="search"><label class="search">${icon('search')}<input type="search" name="q" value="${question}" maxlength="${MAX_QUESTION}" placeholder="${TEXTS.search[language]}" aria-label="${TEXTS.search[language]}" dir="auto"></label><button class="btn" type="submit">${TEXTS.go[language]}</button></form>`;
}
