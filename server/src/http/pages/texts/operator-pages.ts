/**
 * `/terms`, `/privacy` and `/contact`: texts of the operator. A page without a text says that it is not published, and
 * is not linked.
 */
import type { SitePage } from '@dargah/core/site-pages.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import type { Brand, SiteText, SiteTexts } from '../../../branding/index.ts';
import { type KeptThing, untilText } from '../../../privacy/index.ts';
import type { FramedPage } from '../frame.ts';
import { html, type Markup } from '../markup.ts';
import type { PageVisit } from '../visit.ts';
import { markdown } from './markdown.ts';

const TITLES: Record<SitePage, Text> = {
  terms: { fa: 'شرایط استفاده', en: 'Terms of use' },
  privacy: { fa: 'حریم خصوصی', en: 'Privacy' },
  contact: { fa: 'تماس با ما', en: 'Contact' },
};

const TEXTS = {
  unpublished: { fa: 'هنوز منتشر نشده است', en: 'Not published yet' },
  unpublishedText: {
    fa: 'این سرویس هنوز متنی برای این صفحه منتشر نکرده است.',
    en: 'This service has not published a text for this page yet.',
  },
  otherLanguage: { fa: 'این متن فقط به انگلیسی منتشر شده است.', en: 'This text is published in Persian only.' },
  policy: { fa: 'سیاست این سرویس', en: 'The policy of this service' },
  facts: { fa: 'چه چیزی نگه داشته می‌شود', en: 'What is kept' },
  factsText: {
    fa: 'این جدول از تنظیمات فعلی سرویس ساخته می‌شود. هر حساب در پنل خودش همین را با تنظیمات خودش می‌بیند. پرسش‌ها برای پاسخ گرفتن به ارائه‌دهندهٔ مدل فرستاده می‌شوند.',
    en: 'This table is made from the settings of the service as they are now. In the console each account sees it with its own settings. Prompts are sent to the provider of the model to be answered.',
  },
  thing: { fa: 'چه چیزی', en: 'What' },
  until: { fa: 'تا کی', en: 'How long' },
  readers: { fa: 'چه کسی می‌بیند', en: 'Who sees it' },
  closing: { fa: 'پس از بستن حساب', en: 'After the account is closed' },
  closings: {
    deleted: { fa: 'پاک می‌شود', en: 'Deleted' },
    kept: { fa: 'می‌ماند', en: 'Stays' },
    'nothing-left': { fa: 'چیزی نمی‌ماند', en: 'Nothing is left' },
  },
  phone: { fa: 'تلفن', en: 'Phone' },
  email: { fa: 'ایمیل', en: 'E-mail' },
  address: { fa: 'وب‌سایت', en: 'Website' },
};

/** Pages of the operator that have something to read, in the order of the footer. */
export function publishedPages({ support }: Brand, texts: SiteTexts): readonly (readonly [path: string, name: Text])[] {
  const isThere: Record<SitePage, boolean> = {
    terms: hasText(texts.terms),
    // The list of stored data is always shown.
    privacy: true,
    contact: hasText(texts.contact) || Object.values(support).some((way) => way !== null),
  };
  return (['terms', 'privacy', 'contact'] as const)
    .filter((page) => isThere[page])
    .map((page) => [`/${page}`, TITLES[page]] as const);
}

function hasText({ fa, en }: SiteText): boolean {
  return fa !== null || en !== null;
}

export function operatorPage(
  { language }: PageVisit,
  page: 'terms' | 'contact',
  text: SiteText,
  brand: Brand,
): FramedPage {
  const title = TITLES[page][language];
  const ways = page === 'contact' ? contactWays(brand, language) : undefined;
  const isEmpty = !hasText(text) && ways === undefined;
  return {
    title,
    description: `${title}, ${brand.name[language]}`,
    unlisted: isEmpty,
    content: html`<article class="prose solo"><h1>${title}</h1>${ways}${hasText(text) ? written(text, language) : undefined}${isEmpty ? unpublished(language) : undefined}</article>`,
  };
}

export function privacyPage({ language }: PageVisit, text: SiteText, kept: readonly KeptThing[]): FramedPage {
  const say = (one: Text) => one[language];
  const title = say(TITLES.privacy);
  const head = [TEXTS.thing, TEXTS.until, TEXTS.readers, TEXTS.closing].map(
    (name) => html`<th scope="col">${say(name)}</th>`,
  );
  // On a phone each cell shows its own label.
  const cell = (name: Text, value: Text) => html`<td data-name="${say(name)}">${say(value)}</td>`;
  const rows = kept.map(
    ({ id, title: name, what, until, readers, atClosing }) =>
      html`<tr id="${id}"><td><strong>${say(name)}</strong><br>${say(what)}</td>${cell(TEXTS.until, untilText(until))}${cell(TEXTS.readers, readers)}${cell(TEXTS.closing, TEXTS.closings[atClosing])}</tr>`,
  );
  return {
    title,
    description: say(TEXTS.factsText),
    content: html`<article class="prose solo"><h1>${title}</h1>
<h2 id="facts">${say(TEXTS.facts)}</h2><p>${say(TEXTS.factsText)}</p>
<div class="panel sideways" role="group" tabindex="0" aria-label="${say(TEXTS.facts)}"><table class="table kept"><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>
<h2 id="policy">${say(TEXTS.policy)}</h2>${hasText(text) ? written(text, language) : unpublished(language)}</article>`,
  };
}

/** Shows the text in the reader's language, or else in the other one with its own direction. */
function written(text: SiteText, language: Language): Markup {
  const other = language === 'fa' ? 'en' : 'fa';
  const own = text[language];
  const anchor = (at: number) => `part-${at + 1}`;
  if (own !== null) return markdown(own, { language, anchor });
  return html`<p class="mid">${TEXTS.otherLanguage[language]}</p><div lang="${other}" dir="${other === 'fa' ? 'rtl' : 'ltr'}">${markdown(text[other] ?? '', { language, anchor })}</div>`;
}

function unpublished(language: Language): Markup {
  return html`<p><strong>${TEXTS.unpublished[language]}.</strong> ${TEXTS.unpublishedText[language]}</p>`;
}

function contactWays({ support: { phone, email, address } }: Brand, language: Language): Markup | undefined {
  if (phone === null && email === null && address === null) return undefined;
  const row = (name: Text, value: Markup) => html`<li>${name[language]}: ${value}</li>`;
  return html`<ul>${phone === null ? undefined : row(TEXTS.phone, html`<bdi dir="ltr">${phone}</bdi>`)}${email === null ? undefined : row(TEXTS.email, html`<a href="mailto:${email}" dir="ltr">${email}</a>`)}${address === null ? undefined : row(TEXTS.address, html`<a href="${address}" dir="ltr" rel="noopener">${address}</a>`)}</ul>`;
}
