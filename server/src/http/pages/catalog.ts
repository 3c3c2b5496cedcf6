/** `/catalog`: every model with its price in toman. Filtered on the server, so that the page needs no script. */
import { type CatalogSnapshot, type Model, modelView, PRICE_FIELD_NAMES } from '../../catalog/index.ts';
import type { Language, Text } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { layout, type PageRequest } from './layout.ts';
import { html, type Markup } from './markup.ts';

const WORDS = {
  title: { fa: 'مدل‌ها', en: 'Models' },
  lead: { fa: 'قیمت‌ها به تومان برای هر یک میلیون واحد است.', en: 'Prices are toman per million units.' },
  search: { fa: 'نام یا شناسه', en: 'name or id' },
  kind: { fa: 'نوع: همه', en: 'kind: all' },
  category: { fa: 'دسته: همه', en: 'category: all' },
  capability: { fa: 'توانایی: همه', en: 'capability: all' },
  show: { fa: 'نشان بده', en: 'Show' },
  model: { fa: 'مدل', en: 'Model' },
  context: { fa: 'پنجرهٔ متن', en: 'Context' },
  input: { fa: 'ورودی', en: 'Input' },
  output: { fa: 'خروجی', en: 'Output' },
  more: { fa: 'دیگر قیمت‌ها', en: 'Other prices' },
  abilities: { fa: 'توانایی و دسته', en: 'Capabilities, categories' },
  simulated: { fa: 'شبیه‌سازی', en: 'simulated' },
  none: { fa: 'مدلی با این ویژگی‌ها نیست.', en: 'No model matches.' },
} satisfies Record<string, Text>;

/** What of the address the page depends on. */
export const CATALOG_FIELDS = ['q', 'kind', 'category', 'capability'];

export type ShownCatalog = Pick<CatalogSnapshot, 'models'>;

interface Filter {
  search: string;
  kind: string;
  category: string;
  capability: string;
}

export function catalogPage(request: PageRequest, snapshot: ShownCatalog): Markup {
  const { language, query } = request;
  const say = (words: Text) => words[language];
  const models = sortedModels(snapshot);
  const get = (name: string) => (query.get(name) ?? '').slice(0, 100);
  const filter = { search: get('q'), kind: get('kind'), category: get('category'), capability: get('capability') };
  const found = models.filter((model) => fits(model, filter));
  const options = (name: string, empty: Text, values: Iterable<string>, chosen: string) =>
    html`<select name="${name}" aria-label="${say(empty)}"><option value="">${say(empty)}</option>${[...new Set(values)].sort().map((value) => html`<option value="${value}" ${value === chosen ? html`selected` : undefined}>${value}</option>`)}</select>`;
  return layout(
    request,
    '/catalog',
    say(WORDS.title),
    html`<h1>${say(WORDS.title)} <span class="soft">${count(found.length, language)}</span></h1><p class="lead">${say(WORDS.lead)}</p>
<form class="filter" method="get" action="/catalog"><input type="hidden" name="lang" value="${language}"><input type="search" name="q" value="${filter.search}" placeholder="${say(WORDS.search)}" aria-label="${say(WORDS.search)}">
${options(
  'kind',
  WORDS.kind,
  models.map(({ kind }) => kind),
  filter.kind,
)}
${options(
  'category',
  WORDS.category,
  models.flatMap(({ categories }) => categories),
  filter.category,
)}
${options(
  'capability',
  WORDS.capability,
  models.flatMap(({ capabilities }) => [...capabilities]),
  filter.capability,
)}
<button type="submit">${say(WORDS.show)}</button></form>
${
  found.length === 0
    ? html`<p>${say(WORDS.none)}</p>`
    : html`<div class="scroll"><table><thead><tr><th>${say(WORDS.model)}</th><th class="number">${say(WORDS.context)}</th><th class="number">${say(WORDS.input)}</th><th class="number">${say(WORDS.output)}</th><th>${say(WORDS.more)}</th><th>${say(WORDS.abilities)}</th></tr></thead><tbody>${found.map((model) => keptRow(model, language))}</tbody></table></div>`
}`,
  );
}

const sorted = new WeakMap<ShownCatalog, Model[]>();

function sortedModels(snapshot: ShownCatalog): Model[] {
  const known = sorted.get(snapshot);
  if (known) return known;
  const models = [...snapshot.models.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  sorted.set(snapshot, models);
  return models;
}

const rows: Record<Language, WeakMap<Model, Markup>> = { fa: new WeakMap(), en: new WeakMap() };

/** Of a search only the choice of rows differs. A model that changes is another object. */
function keptRow(model: Model, language: Language): Markup {
  const known = rows[language].get(model);
  if (known) return known;
  const made = row(model, language);
  rows[language].set(model, made);
  return made;
}

function fits(model: Model, { search, kind, category, capability }: Filter): boolean {
  const text = `${model.id} ${model.name} ${model.nameFa ?? ''}`.toLowerCase();
  return (
    text.includes(search.trim().toLowerCase()) &&
    (kind === '' || model.kind === kind) &&
    (category === '' || model.categories.includes(category)) &&
    (capability === '' || model.capabilities.has(capability))
  );
}

function row(model: Model, language: Language): Markup {
  const pricing = modelView(model)['pricing'] as JsonObject;
  const number = (value: unknown) => (typeof value === 'number' ? count(value, language) : '—');
  const others = [...PRICE_FIELD_NAMES, 'request'].filter(
    (name) => name !== 'input' && name !== 'output' && pricing[name] !== undefined,
  );
  const name = language === 'fa' ? (model.nameFa ?? model.name) : model.name;
  return html`<tr><td><bdi>${name}</bdi>${model.simulated ? html` <span class="tag strong">${WORDS.simulated[language]}</span>` : undefined}<br><code>${model.id}</code></td><td class="number">${number(model.context)}</td><td class="number">${number(pricing['input'])}</td><td class="number">${number(pricing['output'])}</td><td class="soft">${others.map((field) => html`<span class="tag"><bdi>${field}</bdi> ${number(pricing[field])}</span>`)}</td><td>${[...model.capabilities].sort().map((item) => html`<span class="tag">${item}</span>`)}${model.categories.map((item) => html`<span class="tag">#${item}</span>`)}</td></tr>`;
}

function count(value: number, language: Language): string {
  return NUMBERS[language].format(value);
}

/** Making one costs more than a whole row. */
const NUMBERS: Record<Language, Intl.NumberFormat> = {
  fa: new Intl.NumberFormat('fa-IR'),
  en: new Intl.NumberFormat('en-US'),
};
