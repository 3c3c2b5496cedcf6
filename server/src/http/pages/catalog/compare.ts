/** `/compare`: up to four models side by side, each line one question that people choose by. */
import type { Model } from '../../../catalog/index.ts';
import type { Language, Text } from '../../../core/text.ts';
import type { UptimeOverview } from '../../../uptime/index.ts';
import { count, tomanMarkup } from '../figures.ts';
import type { FramedPage } from '../frame.ts';
import { icon } from '../icons.ts';
import { html, type Markup } from '../markup.ts';
import { availabilityText } from '../uptime-bars.ts';
import { addressOf, type PageVisit } from '../visit.ts';
import type { ShownCatalog } from './catalog-filter.ts';
import { modelPath } from './catalog-row.ts';
import { CAPABILITY_LABELS, KINDS, labelOf, makerName, modelName } from './model-labels.ts';
import { type PriceLine, priceLines, thousandMessages, USUAL_MESSAGE } from './model-price.ts';

const MAX_COMPARED = 4;

const TEXTS = {
  title: { fa: 'مقایسهٔ مدل‌ها', en: 'Models side by side' },
  description: {
    fa: 'قیمت، گنجایش و توانایی مدل‌ها کنار هم.',
    en: 'Prices, context and capabilities of models side by side.',
  },
  back: { fa: 'همهٔ مدل‌ها', en: 'All models' },
  none: { fa: 'هنوز مدلی نشان نکرده‌اید', en: 'No model is marked yet' },
  noneHelp: {
    fa: 'در فهرست مدل‌ها تا چهار مدل را نشان کنید تا این‌جا کنار هم بیایند.',
    en: 'Mark up to four models in the list, and they stand here side by side.',
  },
  tooMany: { fa: 'تنها چهار مدل نخست آمده است.', en: 'Only the first four are shown.' },
  what: { fa: 'ویژگی', en: 'Feature' },
  maker: { fa: 'سازنده', en: 'Maker' },
  kind: { fa: 'کار', en: 'Kind' },
  context: { fa: 'گنجایش متن، توکن', en: 'Context, tokens' },
  longest: { fa: 'بیشینهٔ پاسخ، توکن', en: 'Longest answer, tokens' },
  messages: { fa: '۱٬۰۰۰ پیام، تومان', en: '1,000 messages, toman' },
  uptime: { fa: 'برقراری ۳۰ روز', en: 'Uptime, 30 days' },
  yes: { fa: 'دارد', en: 'yes' },
  no: { fa: 'ندارد', en: 'no' },
  remove: { fa: 'برداشتن', en: 'Remove' },
  unit: { fa: 'تومان', en: 'toman' },
} satisfies Record<string, Text>;

/** The models named by `m`, in their order, each once. */
export function comparedModels({ models }: ShownCatalog, query: URLSearchParams): { shown: Model[]; left: boolean } {
  const ids = [...new Set(query.getAll('m'))];
  const found = ids.flatMap((id) => models.get(id) ?? []);
  return { shown: found.slice(0, MAX_COMPARED), left: found.length > MAX_COMPARED };
}

export function comparePage(visit: PageVisit, catalog: ShownCatalog, uptime: UptimeOverview | undefined): FramedPage {
  const { language, query } = visit;
  const say = (text: Text) => text[language];
  const { shown, left } = comparedModels(catalog, query);
  return {
    title: say(TEXTS.title),
    description: say(TEXTS.description),
    unlisted: true,
    content: html`<div class="lede"><div class="xs mid"><a href="${addressOf(language, '/catalog')}">${say(TEXTS.back)}</a></div><h1>${say(TEXTS.title)}</h1>${left ? html`<p>${say(TEXTS.tooMany)}</p>` : undefined}</div>
${
  shown.length === 0
    ? html`<section class="panel"><div class="empty"><h2>${say(TEXTS.none)}</h2><p>${say(TEXTS.noneHelp)}</p><a class="btn main" href="${addressOf(language, '/catalog')}">${say(TEXTS.back)}</a></div></section>`
    : html`<section class="panel sideways" aria-label="${say(TEXTS.title)}" role="region" tabindex="0">${table(shown, uptime, language)}</section>`
}`,
  };
}

function table(shown: readonly Model[], uptime: UptimeOverview | undefined, language: Language): Markup {
  const say = (text: Text) => text[language];
  const row = (name: string, value: (model: Model) => Markup | string, style = '') =>
    html`<tr><th scope="row">${name}</th>${shown.map((model) => html`<td class="${style}">${value(model)}</td>`)}</tr>`;
  const number = (value: number | undefined) => (value === undefined ? '—' : count(value, language));
  const without = (model: Model) => {
    const rest = new URLSearchParams(shown.filter((one) => one !== model).map(({ id }): [string, string] => ['m', id]));
    return addressOf(language, '/compare', rest);
  };
  return html`<table class="table compare"><thead><tr><th scope="col"><span class="vh">${say(TEXTS.what)}</span></th>${shown.map(
    (model) =>
      html`<th scope="col"><a class="strong" href="${addressOf(language, modelPath(model.id))}"><bdi>${modelName(model, language)}</bdi></a><span class="sub"><bdi class="id" dir="ltr"><span>${model.id}</span></bdi></span><a class="xs" href="${without(model)}" aria-label="${say(TEXTS.remove)} ${modelName(model, language)}">${say(TEXTS.remove)}</a></th>`,
  )}</tr></thead><tbody>
${row(say(TEXTS.maker), (model) => html`<bdi>${makerName(model.vendor, language)}</bdi>`)}
${row(say(TEXTS.kind), (model) => KINDS[model.kind][language])}
${row(say(TEXTS.messages), (model) => amount(thousandMessages(model, USUAL_MESSAGE), language), 'strong')}
${priceRows(shown, language).map(({ name, cells }) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
${row(say(TEXTS.context), ({ context }) => number(context))}
${row(say(TEXTS.longest), ({ maxOutput }) => number(maxOutput))}
${Object.keys(CAPABILITY_LABELS)
  .filter((one) => shown.some(({ capabilities }) => capabilities.has(one)))
  .map((one) => row(labelOf(CAPABILITY_LABELS, one, language), (model) => has(model, one, language)))}
${row(say(TEXTS.uptime), ({ id }) => {
  const share = uptime?.models.get(id);
  return share === undefined ? '—' : availabilityText(share, language);
})}</tbody></table>`;
}

function has({ capabilities }: Model, name: string, language: Language): Markup {
  return capabilities.has(name)
    ? html`<span class="good">${icon('check')}<span class="vh">${TEXTS.yes[language]}</span></span>`
    : html`<span class="dim" aria-hidden="true">—</span><span class="vh">${TEXTS.no[language]}</span>`;
}

function amount(value: PriceLine['amount'] | undefined, language: Language): Markup | string {
  return value === undefined ? '—' : tomanMarkup(value, language);
}

/** One line per price that any of them has, named with its unit. */
function priceRows(shown: readonly Model[], language: Language): { name: string; cells: (Markup | string)[] }[] {
  const lines = shown.map(({ price }) => priceLines(price));
  const names = new Map(lines.flat().map(({ name, unit }) => [name.en + unit.en, { name, unit }]));
  return [...names.values()].map(({ name, unit }) => ({
    name: `${name[language]}، ${unit[language]}`.replace('،', language === 'fa' ? '،' : ','),
    cells: lines.map((own) =>
      amount(own.find((line) => line.name.en === name.en && line.unit.en === unit.en)?.amount, language),
    ),
  }));
}
