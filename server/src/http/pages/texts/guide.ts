/** `/guide`: the customers' guide, written in docs/customers.md and docs/customers.fa.md. */

import type { Language, Text } from '@dargah/core/text.ts';
import persian from '../../../../../docs/customers.fa.md';
import english from '../../../../../docs/customers.md';
import type { FramedPage } from '../frame.ts';
import { html, type Markup } from '../markup.ts';
import type { PageVisit } from '../visit.ts';
import { docsSearchBox } from './docs-search-box.ts';
import { type Heading, headingsOf, markdown, partsOfText } from './markdown.ts';

const TEXTS: Record<Language, string> = { fa: persian, en: english };
/** Placeholder for our own address in the texts. */
const SERVICE = 'https://<service>';

const LABELS = {
  description: {
    fa: 'راه‌اندازی هر کتابخانه و برنامه، کیف پول، رسید، محدودیت‌ها، خطاها و پایگاه دانش.',
    en: 'Setting up every library and program, the wallet, receipts, limits, errors and knowledge bases.',
  },
  contents: { fa: 'در این راهنما', en: 'In this guide' },
} satisfies Record<string, Text>;

/** Both languages have the same headings in the same order, so an address that ends in `#receipts` leads to either. */
let knownAnchors: string[] | undefined;

/** The anchors are read at the first visit, so that a start does not wait for it. */
function anchorsOfGuide(): string[] {
  knownAnchors ??= headingsOf(english).map(({ text }) => slug(text));
  return knownAnchors;
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]{1,200}/g, '-')
    .replace(/^-|-$/g, '');
}

export function guidePage({ language, origin }: PageVisit): FramedPage {
  const anchors = anchorsOfGuide();
  const text = TEXTS[language].replaceAll(SERVICE, () => origin);
  const headings: Heading[] = headingsOf(text).map((one, at) => ({ ...one, id: anchors[at] ?? `part-${at}` }));
  const content = markdown(text, { language, anchor: (at) => anchors[at] ?? `part-${at}` });
  return {
    title: headings[0]?.text ?? '',
    description: LABELS.description[language],
    content: html`${docsSearchBox(language)}<div class="with-contents">${contents(headings, language)}<article class="prose">${content}</article></div>`,
  };
}

interface GuidePart {
  id: string;
  title: string;
  text: string;
}

/** The guide cut at its headings, as plain text. */
export function guideParts(language: Language): GuidePart[] {
  const anchors = anchorsOfGuide();
  return partsOfText(TEXTS[language].replaceAll(SERVICE, 'https://…')).map((part, at) => ({
    ...part,
    id: anchors[at] ?? `part-${at}`,
  }));
}

function contents(headings: readonly Heading[], language: Language): Markup {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  return html`<nav class="contents" aria-label="${LABELS.contents[language]}"><details><summary>${LABELS.contents[language]}</summary><ul>${shown.map(
    ({ id, depth, text }) =>
      html`<li${depth === 3 ? html` class="inner"` : undefined}><a href="#${id}">${text.replaceAll('`', '')}</a></li>`,
  )}</ul></details></nav>`;
}
