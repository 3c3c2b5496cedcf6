/** `/changelog`: what changed for customers, written in docs/whats-new.md and docs/whats-new.fa.md, up to the version that runs. */
import type { Language, Text } from '@dargah/core/text.ts';
import persian from '../../../../../docs/whats-new.fa.md';
import english from '../../../../../docs/whats-new.md';
import { minorsAhead, VERSION } from '../../../core/version.ts';
import type { FramedPage } from '../frame.ts';
import { html } from '../markup.ts';
import type { PageVisit } from '../visit.ts';
import { markdown } from './markdown.ts';

const WRITTEN: Record<Language, string> = { fa: persian, en: english };
const DESCRIPTION: Text = { fa: 'آنچه در هر نسخه برای شما عوض شد.', en: 'What changed for you in each version.' };

/** The text without sections of versions that are newer than `version`. */
export function sectionsUpTo(text: string, version: string): string {
  const [head = '', ...sections] = text.split(/^(?=## )/m);
  const isOut = (section: string) => minorsAhead(/^## (\S{1,40})/.exec(section)?.[1] ?? '', version) === 0;
  return [head, ...sections.filter(isOut)].join('');
}

export function whatsNewPage({ language }: PageVisit): FramedPage {
  const text = sectionsUpTo(WRITTEN[language], VERSION);
  return {
    title: /^# (.{1,80})$/m.exec(text)?.[1] ?? '',
    description: DESCRIPTION[language],
    content: html`<article class="prose solo">${markdown(text, { language, anchor: (at) => `part-${at}` })}</article>`,
  };
}
