/** `/catalog`: every model with its price in toman. It is filtered and ordered on the server, so that it needs no script. */

import type { Language, Text } from '@dargah/core/text.ts';
import type { Model } from '../../../catalog/index.ts';
import { CAPABILITIES, CATEGORIES } from '../../../catalog/index.ts';
import type { UptimeOverview } from '../../../uptime/index.ts';
import { count, listText } from '../figures.ts';
import type { FramedPage } from '../frame.ts';
import { icon } from '../icons.ts';
import { html, type Markup } from '../markup.ts';
import { addressOf, type PageVisit } from '../visit.ts';
import {
  addressQuery,
  type CatalogQuestion,
  CONTEXT_STEPS,
  find,
  isFound,
  PRICE_STEPS,
  type ShownCatalog,
  SORTS,
  type Sort,
} from './catalog-filter.ts';
import { catalogRow } from './catalog-row.ts';
import { DATA_CHOICES, DATA_LABELS, meetsChoices } from './model-data.ts';
import { CAPABILITY_LABELS, CATEGORY_LABELS, KINDS, labelOf, makerName } from './model-labels.ts';

const TEXTS = {
  title: { fa: 'مدل‌ها و قیمت‌ها', en: 'Models and prices' },
  heading: { fa: 'همهٔ مدل‌ها، به تومان', en: 'Every model, in toman' },
  description: {
    fa: 'فهرست مدل‌ها با قیمت هر میلیون توکن به تومان، توانایی‌ها، طول کانتکست و آپ‌تایم.',
    en: 'The models with their prices per million tokens in toman, capabilities, context and uptime.',
  },
  search: { fa: 'نام یا شناسهٔ مدل', en: 'Name or id of a model' },
  filters: { fa: 'جست‌وجو و فیلتر', en: 'Search and filter' },
  kind: { fa: 'کار', en: 'Kind' },
  category: { fa: 'کاربرد', en: 'Use' },
  capability: { fa: 'توانایی', en: 'Capability' },
  vendor: { fa: 'سازنده', en: 'Maker' },
  data: { fa: 'داده‌ها', en: 'Data' },
  price: { fa: 'قیمت', en: 'Price' },
  context: { fa: 'کانتکست', en: 'Context' },
  sort: { fa: 'ترتیب', en: 'Order' },
  all: { fa: 'همه', en: 'all' },
  show: { fa: 'نمایش', en: 'Show' },
  clear: { fa: 'پاک‌کردن', en: 'Clear' },
  list: { fa: 'فهرست مدل‌ها', en: 'List of models' },
  compare: { fa: 'مقایسه', en: 'Compare' },
  model: { fa: 'مدل', en: 'Model' },
  takes: { fa: 'توانایی', en: 'Can' },
  room: { fa: 'کانتکست، توکن', en: 'Context, tokens' },
  input: { fa: 'ورودی، تومان', en: 'Input, toman' },
  output: { fa: 'پاسخ، تومان', en: 'Output, toman' },
  messages: { fa: '۱٬۰۰۰ پیام، تومان', en: '1,000 messages, toman' },
  uptime: { fa: 'آپ‌تایم، ٪', en: 'Uptime, %' },
  none: { fa: 'مدلی با این ویژگی‌ها نیست', en: 'No model matches' },
  noneHelp: {
    fa: 'یکی از فیلترها را حذف کنید یا نام کوتاه‌تری بنویسید.',
    en: 'Take away a filter, or write a shorter name.',
  },
  size: { fa: 'اندازهٔ پیام', en: 'Size of a message' },
  sizeIn: { fa: 'ورودی، توکن', en: 'Input, tokens' },
  sizeOut: { fa: 'پاسخ، توکن', en: 'Output, tokens' },
  tray: { fa: 'تا چهار مدل را انتخاب کنید و کنار هم ببینید.', en: 'Mark up to four models and see them side by side.' },
  side: { fa: 'کنار هم ببینید', en: 'Side by side' },
} satisfies Record<string, Text>;

const SORT_LABELS: Record<Sort, Text> = {
  usual: { fa: 'پرکاربردها اول', en: 'popular first' },
  cheap: { fa: 'ارزان‌ترین', en: 'cheapest' },
  dear: { fa: 'گران‌ترین', en: 'dearest' },
  context: { fa: 'بیشترین کانتکست', en: 'largest context' },
  new: { fa: 'جدیدترین', en: 'newest' },
  name: { fa: 'نام', en: 'name' },
};

export interface CatalogFacts {
  catalog: ShownCatalog;
  uptime: UptimeOverview | undefined;
}

export function catalogPage(
  visit: PageVisit,
  { catalog, uptime }: CatalogFacts,
  question: CatalogQuestion,
): FramedPage {
  const { language } = visit;
  const say = (text: Text) => text[language];
  const found = find(catalog, question);
  // Rows that only the search excludes are in the page, hidden, so that the script can show them again.
  const rows = find(catalog, { ...question, search: '' });
  const isFiltered = addressQuery(question).size > 0;
  return {
    title: say(TEXTS.title),
    description: say(TEXTS.description),
    // To search engines all combinations of filters are one page.
    unlisted: isFiltered,
    content: html`<div class="lede"><h1>${say(TEXTS.heading)}</h1><p>${lead(catalog, language)}</p></div>
${filterForm(visit, catalog, question, isFiltered)}
${
  found.length === 0
    ? html`<section class="panel"><div class="empty"><h2>${say(TEXTS.none)}</h2><p>${say(TEXTS.noneHelp)}</p><a class="btn" href="${addressOf(language, '/catalog')}">${say(TEXTS.clear)}</a></div></section>`
    : html`<section class="panel" aria-label="${say(TEXTS.list)}">${table(rows, uptime, question, language)}
<div class="foot">${sizeForm(visit, question)}<span data-count="${countText('#', catalog.models.size, language)}">${countText(found.length, catalog.models.size, language)}</span></div></section>
<form class="tray" id="compare" method="get" action="${addressOf(language, '/compare')}" data-compare><span class="strong">${say(TEXTS.tray)}</span><span class="grow"></span><button class="btn main" type="submit">${say(TEXTS.side)}</button></form>`
}`,
  };
}

function lead({ models }: ShownCatalog, language: Language): string {
  const real = [...models.values()].filter(({ simulated }) => !simulated);
  const shown = real.length > 0 ? real : [...models.values()];
  const makers = new Set(shown.map(({ vendor }) => vendor)).size;
  const all = count(shown.length, language);
  return language === 'fa'
    ? `${all} مدل از ${count(makers, language)} سازنده، با یک کلید. قیمت‌ها به تومان برای هر میلیون توکن است و هر درخواست رسید دارد.`
    : `${all} ${shown.length === 1 ? 'model' : 'models'} from ${makers === 1 ? 'one maker' : `${count(makers, language)} makers`}, with one key. Prices are toman per million tokens, and every request has a receipt.`;
}

/** `#` marks where the script puts the number while one types. */
function countText(found: number | '#', all: number, language: Language): string {
  if (found === all) return language === 'fa' ? `${count(all, language)} مدل` : `${count(all, language)} models`;
  const shown = found === '#' ? found : count(found, language);
  return language === 'fa' ? `${shown} از ${count(all, language)} مدل` : `${shown} of ${count(all, language)} models`;
}

function table(
  rows: readonly Model[],
  uptime: UptimeOverview | undefined,
  question: CatalogQuestion,
  language: Language,
): Markup {
  const say = (text: Text) => text[language];
  const number = (text: Text) => html`<th scope="col" class="number">${say(text)}</th>`;
  return html`<table class="table fold catalog"><thead><tr><th scope="col"><span class="vh">${say(TEXTS.compare)}</span></th><th scope="col">${say(TEXTS.model)}</th><th scope="col">${say(TEXTS.takes)}</th>${number(TEXTS.room)}${number(TEXTS.input)}${number(TEXTS.output)}${number(TEXTS.messages)}${number(TEXTS.uptime)}</tr></thead><tbody>${rows.map((model) => catalogRow(model, uptime?.models.get(model.id), question.size, language, !isFound(model, question.search)))}</tbody></table><p class="pad mid" data-none hidden>${say(TEXTS.none)}. ${say(TEXTS.noneHelp)}</p>`;
}

function filterForm(visit: PageVisit, catalog: ShownCatalog, question: CatalogQuestion, isFiltered: boolean): Markup {
  const { language } = visit;
  const say = (text: Text) => text[language];
  const models = [...catalog.models.values()];
  const makers = [...new Set(models.map(({ vendor }) => vendor))].sort();
  const kinds = (Object.keys(KINDS) as Model['kind'][]).filter((kind) => models.some((model) => model.kind === kind));
  const has = (name: string) => models.some(({ capabilities }) => capabilities.has(name));
  const stated = (name: string) => question.data.includes(name) || models.some((model) => meetsChoices(model, [name]));
  const shelved = (name: string) => models.some(({ categories }) => categories.includes(name));
  const choice = (
    name: string,
    label: Text,
    values: readonly string[],
    word: (value: string) => string,
    chosen: string,
  ) =>
    html`<label class="choice${chosen === '' ? '' : ' on'}"><span>${say(label)}</span><select name="${name}"><option value="">${say(TEXTS.all)}</option>${values.map((value) => html`<option value="${value}"${value === chosen ? html` selected` : undefined}>${word(value)}</option>`)}</select>${icon('down')}</label>`;
  // Works without script, which only submits the form when the list is closed.
  const several = (
    name: string,
    label: Text,
    values: readonly string[],
    word: (value: string) => string,
    chosen: readonly string[],
  ) =>
    html`<details class="several" name="filters" data-several><summary class="choice${chosen.length === 0 ? '' : ' on'}"><span>${say(label)}</span><b>${chosen.length === 0 ? say(TEXTS.all) : listText(chosen.map(word), language, 'unit')}</b>${icon('down')}</summary><fieldset><legend class="vh">${say(label)}</legend>${values.map((value) => html`<label><input class="check" type="checkbox" name="${name}" value="${value}"${chosen.includes(value) ? html` checked` : undefined}>${word(value)}</label>`)}</fieldset></details>`;
  return html`<form class="filters" method="get" action="${addressOf(language, '/catalog')}" role="search" aria-label="${say(TEXTS.filters)}" data-filters>
<label class="search">${icon('search')}<input type="search" name="q" value="${question.search}" placeholder="${say(TEXTS.search)}" aria-label="${say(TEXTS.search)}" dir="auto" autocomplete="off"></label>
${several('kind', TEXTS.kind, kinds, (value) => labelOf(KINDS, value, language), question.kind)}
${several('category', TEXTS.category, CATEGORIES.filter(shelved), (value) => labelOf(CATEGORY_LABELS, value, language), question.category)}
${several('capability', TEXTS.capability, CAPABILITIES.filter(has), (value) => labelOf(CAPABILITY_LABELS, value, language), question.capability)}
${several('vendor', TEXTS.vendor, makers, (value) => makerName(value, language), question.vendor)}
${several('data', TEXTS.data, DATA_CHOICES.filter(stated), (value) => labelOf(DATA_LABELS, value, language), question.data)}
${choice('price', TEXTS.price, PRICE_STEPS.map(String), (value) => upTo(value, language), String(question.price ?? ''))}
${choice('context', TEXTS.context, CONTEXT_STEPS.map(String), (value) => from(value, language), String(question.context ?? ''))}
<label class="choice"><span>${say(TEXTS.sort)}</span><select name="sort">${SORTS.map((sort) => html`<option value="${sort === 'usual' ? '' : sort}"${sort === question.sort ? html` selected` : undefined}>${SORT_LABELS[sort][language]}</option>`)}</select>${icon('down')}</label>
${hiddenSize(question)}<button class="btn" type="submit" data-without-script>${say(TEXTS.show)}</button>${isFiltered ? html`<a class="btn plain" href="${addressOf(language, '/catalog')}">${say(TEXTS.clear)}</a>` : undefined}</form>`;
}

function upTo(value: string, language: Language): string {
  const text = count(value, language);
  return language === 'fa' ? `۱٬۰۰۰ پیام تا ${text} تومان` : `1,000 messages up to ${text} toman`;
}

function from(value: string, language: Language): string {
  const text = count(value, language);
  return language === 'fa' ? `${text} توکن و بیشتر` : `${text} tokens and more`;
}

/** The size of a message has a form of its own, and this form keeps its value. */
function hiddenSize(question: CatalogQuestion): Markup[] {
  const query = addressQuery(question);
  return ['in', 'out'].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
}

function sizeForm({ language }: PageVisit, question: CatalogQuestion): Markup {
  const say = (text: Text) => text[language];
  const { input, output } = question.size;
  const kept = [...addressQuery(question)].filter(([name]) => name !== 'in' && name !== 'out');
  const sentence =
    language === 'fa'
      ? `پیام یعنی ${count(input, language)} توکن ورودی و ${count(output, language)} توکن پاسخ.`
      : `A message is ${count(input, language)} tokens in and ${count(output, language)} out.`;
  const field = (name: string, label: Text, value: number) =>
    html`<label>${say(label)} <input class="input" type="text" inputmode="numeric" name="${name}" value="${value}" dir="ltr"></label>`;
  return html`<details class="size"><summary>${sentence}</summary><form method="get" action="${addressOf(language, '/catalog')}" aria-label="${say(TEXTS.size)}">${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${field('in', TEXTS.sizeIn, input)}${field('out', TEXTS.sizeOut, output)}<button class="btn small" type="submit">${say(TEXTS.show)}</button></form></details>`;
}
