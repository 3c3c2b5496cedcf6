/** One model in the list. Rendered rows are cached, because every search shows some of the same rows. */

import type { Language, Text } from '@dargah/core/text.ts';
import type { Model } from '../../../catalog/index.ts';
import type { Money } from '../../../core/money.ts';
import type { Share } from '../../../uptime/index.ts';
import { dateText, percent, shortCount, tomanMarkup } from '../figures.ts';
import { icon } from '../icons.ts';
import { html, Markup } from '../markup.ts';
import { availability, qualityOf } from '../uptime-bars.ts';
import { addressOf } from '../visit.ts';
import { searchText } from './catalog-filter.ts';
import { CAPABILITY_LABELS, labelOf, modelName, NOTED } from './model-labels.ts';
import { lineOf, type MessageSize, mainBucket, type PriceLine, thousandMessages } from './model-price.ts';

const TEXTS = {
  compare: { fa: 'مقایسهٔ', en: 'Compare' },
  copy: { fa: 'کپی شناسهٔ', en: 'Copy the id of' },
  simulated: { fa: 'شبیه‌سازی', en: 'simulated' },
  free: { fa: 'رایگان', en: 'free' },
  input: { fa: 'ورودی', en: 'Input' },
  output: { fa: 'پاسخ', en: 'Output' },
  toman: { fa: 'تومان', en: 'toman' },
  messages: { fa: '۱٬۰۰۰ پیام', en: '1,000 messages' },
  from: { fa: 'از', en: 'from' },
  gone: { fa: 'عرضه نمی‌شود', en: 'no longer offered' },
} satisfies Record<string, Text>;

export function modelPath(id: string): string {
  return `/models/${id.split('/').map(encodeURIComponent).join('/')}`;
}

const rows = new WeakMap<Model, Map<string, Markup>>();
/** People use few message sizes; beyond this number, rows are rendered for each request. */
const MAX_FORMS = 8;

/** A changed model is a new object, so its cached rows are dropped with the old one. */
export function catalogRow(
  model: Model,
  share: Share | undefined,
  size: MessageSize,
  language: Language,
  isHidden = false,
): Markup {
  if (isHidden) return new Markup(catalogRow(model, share, size, language).text.replace('<tr ', '<tr hidden '));
  const name = `${language} ${size.input} ${size.output} ${share?.answered} ${share?.failed}`;
  const forms = rows.get(model) ?? new Map<string, Markup>();
  const known = forms.get(name);
  if (known) return known;
  const made = makeRow(model, share, size, language);
  if (forms.size >= MAX_FORMS) forms.clear();
  forms.set(name, made);
  rows.set(model, forms);
  return made;
}

function makeRow(model: Model, share: Share | undefined, size: MessageSize, language: Language): Markup {
  const say = (text: Text) => text[language];
  const name = modelName(model, language);
  const [maker = '', ...rest] = model.id.split('/');
  const uptime = share === undefined ? undefined : availability(share);
  const quality = share === undefined ? 'none' : qualityOf(share);
  return html`<tr data-find="${searchText(model)}"><td class="c0"><input class="check" type="checkbox" name="m" value="${model.id}" form="compare" aria-label="${say(TEXTS.compare)} ${name}"></td><td class="c1"><a class="strong" href="${addressOf(language, modelPath(model.id))}"><bdi>${name}</bdi></a>${model.simulated && !name.includes(say(TEXTS.simulated)) ? html` <span class="tag">${say(TEXTS.simulated)}</span>` : undefined}${withdrawal(model, language)}<span class="sub"><bdi class="id" dir="ltr"><span><span class="hs">${maker}/</span>${rest.join('/')}</span>${copyButton(model.id, `${say(TEXTS.copy)} ${name}`)}</bdi></span></td><td class="hs">${tags(model, language)}</td><td class="number hs">${model.context === undefined ? '—' : shortCount(model.context, language)}</td>${priceCells(model, language)}${messagesCell(model, size, language)}<td class="number hs ${quality === 'warn' || quality === 'bad' ? quality : 'mid'}">${uptime === undefined ? '—' : percent(uptime, language)}</td></tr>`;
}

function withdrawal({ withdrawnFromMs: from }: Model, language: Language): Markup | undefined {
  if (from === undefined) return undefined;
  return html`<span class="sub warn">${TEXTS.from[language]} ${dateText(from, language, false)} ${TEXTS.gone[language]}</span>`;
}

/** Copies by script; without script the id can be selected by hand. */
export function copyButton(text: string, label: string): Markup {
  return html`<button type="button" data-copy="${text}" aria-label="${label}">${icon('copy')}</button>`;
}

function tags(model: Model, language: Language, of: readonly string[] = NOTED): Markup {
  return html`<span class="tags">${of
    .filter((one) => model.capabilities.has(one))
    .map((one) => html`<span class="tag">${labelOf(CAPABILITY_LABELS, one, language)}</span>`)}</span>`;
}

function priceCells(model: Model, language: Language): Markup {
  const main = mainBucket(model);
  const isTalk = model.kind === 'chat' || main === 'output';
  const input = isTalk || main === 'inputFresh' ? lineOf(model.price, 'inputFresh') : undefined;
  const output = main === 'inputFresh' ? undefined : lineOf(model.price, main);
  const next = model.announced;
  const later = (bucket: 'inputFresh' | typeof main, now: PriceLine | undefined) => {
    const then = next && lineOf(next.price, bucket);
    return next && then && then.amount !== now?.amount
      ? html`<span class="sub info hs">${TEXTS.from[language]} ${dateText(next.fromMs, language, false)} ${tomanMarkup(then.amount, language)}</span>`
      : undefined;
  };
  const unit = main === 'inputFresh' || main === 'output' ? undefined : output?.unit[language];
  return html`<td class="number c3">${cell(input?.amount, TEXTS.input, language)}${later('inputFresh', input)}</td><td class="number c4 out">${cell(output?.amount, TEXTS.output, language)}${unit === undefined ? undefined : html`<span class="sub">${unit}</span>`}${later(main, output)}</td>`;
}

function cell(amount: Money | undefined, name: Text, language: Language): Markup {
  if (amount === undefined) return html`<span class="hs">—</span>`;
  return html`<span class="cell-unit">${name[language]} </span>${tomanMarkup(amount, language)}`;
}

function messagesCell(model: Model, size: MessageSize, language: Language): Markup {
  const amount = thousandMessages(model, size);
  if (amount === undefined) return html`<td class="number c2"><span class="hs">—</span></td>`;
  if (amount === 0n) return html`<td class="number c2 strong">${TEXTS.free[language]}</td>`;
  return html`<td class="number c2 strong">${tomanMarkup(amount, language)}<span class="cell-unit"> <span class="unit">${TEXTS.toman[language]}</span></span><span class="cell-unit xs dim under-line">${TEXTS.messages[language]}</span></td>`;
}
