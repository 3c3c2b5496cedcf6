/** `/models/<maker>/<model>`: what it costs, what it cost, what it can do, how well it answers, and how to call it. */

import { KIND_FACTS } from '@dargah/core/model-kinds.ts';
import { PROBE_NAMES } from '@dargah/core/probes.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import type { Model, PastPrice } from '../../../catalog/index.ts';
import { type Money, money } from '../../../core/money.ts';
import { costOf, unitPrice } from '../../../core/price.ts';
import type { ModelUptime } from '../../../uptime/index.ts';
import { count, dateText, listText, moment, tomanMarkup } from '../figures.ts';
import type { FramedPage } from '../frame.ts';
import { icon } from '../icons.ts';
import { html, type Markup } from '../markup.ts';
import { sampleList, samplesFor } from '../samples.ts';
import { addressOf, type PageVisit } from '../visit.ts';
import { wholeOf } from './catalog-filter.ts';
import { copyButton, modelPath } from './catalog-row.ts';
import { dataFacts } from './model-data.ts';
import { CAPABILITY_LABELS, KINDS, labelOf, makerName, modelName, TAKES } from './model-labels.ts';
import {
  changeText,
  lineOf,
  mainBucket,
  type PriceLine,
  priceLines,
  type TermLine,
  termLines,
  tierLines,
  USUAL_MESSAGE,
} from './model-price.ts';
import { modelRoutes } from './model-routes.ts';
import { type PricePoint, priceChart } from './price-chart.ts';

const TEXTS = {
  models: { fa: 'مدل‌ها', en: 'Models' },
  proved: { fa: 'آزموده و تأییدشده', en: 'Proved' },
  notProved: { fa: 'در آزمون رد شد', en: 'Failed when tested' },
  provedAt: { fa: 'آخرین آزمون', en: 'Last tested' },
  copy: { fa: 'کپی شناسهٔ مدل', en: 'Copy the model’s id' },
  simulated: {
    fa: 'شبیه‌سازی: پاسخ واقعی نمی‌دهد و برای آزمایش است.',
    en: 'Simulated: it gives no real answers and is for trying things out.',
  },
  playground: { fa: 'امتحان در محیط آزمایش', en: 'Try it in the playground' },
  compare: { fa: 'افزودن به مقایسه', en: 'Add to comparison' },
  price: { fa: 'قیمت', en: 'Price' },
  share: { fa: 'سهم', en: 'For' },
  unit: { fa: 'واحد', en: 'Unit' },
  toman: { fa: 'تومان', en: 'toman' },
  amount: { fa: 'قیمت، تومان', en: 'Price, toman' },
  history: { fa: 'تاریخچهٔ قیمت', en: 'Price history' },
  table: { fa: 'جدول', en: 'Table' },
  since: { fa: 'از', en: 'Since' },
  code: { fa: 'از کد شما', en: 'From your code' },
  codeHelp: {
    fa: 'کلید خود را در متغیر «DARGAH_KEY» بگذارید؛ کلید در صفحه نوشته نمی‌شود.',
    en: 'Put your key into the variable DARGAH_KEY; a page never holds it.',
  },
  facts: { fa: 'ویژگی‌ها', en: 'Facts' },
  kind: { fa: 'کار', en: 'Kind' },
  context: { fa: 'طول کانتکست', en: 'Context' },
  longest: { fa: 'حداکثر طول پاسخ', en: 'Longest answer' },
  takes: { fa: 'می‌پذیرد', en: 'Takes' },
  can: { fa: 'می‌تواند', en: 'Can' },
  text: { fa: 'متن', en: 'text' },
  tokens: { fa: 'توکن', en: 'tokens' },
  howMuch: { fa: 'برای کار شما چند؟', en: 'What would yours cost?' },
  perMonth: { fa: 'پیام در ماه', en: 'Messages a month' },
  message: { fa: 'پیام', en: 'messages' },
  input: { fa: 'ورودی', en: 'Input' },
  output: { fa: 'پاسخ', en: 'Output' },
  work: { fa: 'حساب کن', en: 'Work it out' },
  monthly: { fa: 'هر ماه', en: 'Each month' },
} satisfies Record<string, Text>;

export interface ModelPageFacts {
  model: Model;
  history: readonly PastPrice[];
  uptime: ModelUptime | undefined;
  nowMs: number;
  /** The maker's list price is shown beside ours. */
  inDollars: boolean;
}

export interface Work {
  messages: number;
  input: number;
  output: number;
}

export function workOf(query: URLSearchParams): Work {
  const get = (name: string, usual: number) => wholeOf((query.get(name) ?? '').slice(0, 20)) ?? usual;
  return {
    messages: get('n', 10_000),
    input: get('in', USUAL_MESSAGE.input),
    output: get('out', USUAL_MESSAGE.output),
  };
}

/** The same, safe in an address. */
export function workQuery({ messages, input, output }: Work): URLSearchParams {
  return new URLSearchParams({ n: String(messages), in: String(input), out: String(output) });
}

export function modelPage(visit: PageVisit, facts: ModelPageFacts, work: Work): FramedPage {
  const { language } = visit;
  const { model, uptime } = facts;
  const name = modelName(model, language);
  const say = (text: Text) => text[language];
  return {
    title: name,
    description: model.description?.[language] ?? describe(model, language),
    content: html`<div class="lede"><div class="xs mid"><a href="${addressOf(language, '/catalog')}">${say(TEXTS.models)}</a> · <a href="${addressOf(language, '/catalog', new URLSearchParams({ vendor: model.vendor }))}"><bdi>${makerName(model.vendor, language)}</bdi></a></div><h1><bdi>${name}</bdi></h1><div class="row"><bdi class="id boxed" dir="ltr"><span>${model.id}</span>${copyButton(model.id, say(TEXTS.copy))}</bdi></div><p>${model.description?.[language] ?? describe(model, language)}${model.simulated ? html` ${say(TEXTS.simulated)}` : undefined}</p><div class="row">${model.kind === 'chat' ? html`<a class="btn main" href="/console/playground?model=${encodeURIComponent(model.id)}">${say(TEXTS.playground)}</a>` : undefined}<a class="btn" href="${addressOf(language, '/compare', new URLSearchParams({ m: model.id }))}">${say(TEXTS.compare)}</a></div></div>
<div class="aside"><div class="stack">${prices(facts, language)}${history(facts, language)}${code(visit, model)}</div><div class="stack">${model.kind === 'chat' ? calculator(visit, model, work) : undefined}${modelRoutes(model, uptime, language)}${factList(model, language)}</div></div>`,
  };
}

function describe(model: Model, language: Language): string {
  const takes = takesOf(model, language);
  const main = lineOf(model.price, mainBucket(model));
  const context = model.context === undefined ? undefined : count(model.context, language);
  const maker = makerName(model.vendor, language);
  if (language === 'fa') {
    const room = context === undefined ? '' : ` با کانتکست ${context} توکن`;
    const price = main === undefined ? '' : ` ${main.name.fa}: ${plainToman(main, language)} تومان ${main.unit.fa}.`;
    return `مدل ${KINDS[model.kind].fa} از ${maker}${room}. ${takes} می‌پذیرد.${price}`;
  }
  const room = context === undefined ? '' : ` with a context of ${context} tokens`;
  const price = main === undefined ? '' : ` ${main.name.en}: ${plainToman(main, language)} toman ${main.unit.en}.`;
  return `A ${KINDS[model.kind].en.toLowerCase()} model by ${maker}${room}. It takes ${takes}.${price}`;
}

function takesOf({ capabilities, kind }: Model, language: Language): string {
  const words = TAKES.filter((one) => capabilities.has(one)).map((one) => labelOf(CAPABILITY_LABELS, one, language));
  const first =
    KIND_FACTS[kind].takes === 'audio' ? labelOf(CAPABILITY_LABELS, 'audio_input', language) : TEXTS.text[language];
  const all = [...new Set([first, ...words])];
  return listText(all, language);
}

function plainToman({ amount }: PriceLine, language: Language): string {
  return tomanMarkup(amount, language).text.replace(/<[^>]{1,200}>/g, '');
}

function prices({ model, history: past, nowMs, inDollars }: ModelPageFacts, language: Language): Markup {
  const say = (text: Text) => text[language];
  const since = past.findLast(({ fromMs }) => fromMs <= nowMs)?.fromMs;
  const usd = inDollars ? model.basis?.usd : undefined;
  const lines = priceLines(model.price, usd);
  return html`<section class="panel" aria-labelledby="h-price"><div class="head ruled"><h2 id="h-price">${say(TEXTS.price)}</h2>${since === undefined ? undefined : html`<div class="end xs dim"><span>${say(TEXTS.since)} ${moment(since, dateText(since, language))}</span></div>`}</div><table class="table prices"><thead><tr><th scope="col">${say(TEXTS.share)}</th><th scope="col" class="hs">${say(TEXTS.unit)}</th><th scope="col" class="number">${say(TEXTS.amount)}</th></tr></thead><tbody>${lines.map((line) => priceRow(line, language))}${termLines(model.price).map((line) => termRow(line, language))}</tbody>${tierLines(
    model.price,
    usd,
  ).map(
    ({ above, lines: own }) =>
      html`<tbody><tr><th scope="rowgroup" colspan="3" class="mid">${longPrompt(above, language)}</th></tr>${own.map((line) => priceRow(line, language))}</tbody>`,
  )}</table>${announced(model, language)}${withdrawal(model, language)}</section>`;
}

function priceRow({ name, unit, amount, dollars }: PriceLine, language: Language): Markup {
  return html`<tr><th scope="row">${name[language]}<span class="sub only-narrow">${unit[language]}</span></th><td class="hs mid">${unit[language]}</td><td class="number strong">${tomanMarkup(amount, language)}${dollars === undefined ? undefined : html`<span class="sub"><bdi dir="ltr">$${dollars}</bdi></span>`}</td></tr>`;
}

function termRow({ name, unit, factor, amount }: TermLine, language: Language): Markup {
  const value =
    amount === undefined ? html`<bdi dir="ltr">×${count(factor ?? 1, language)}</bdi>` : tomanMarkup(amount, language);
  return html`<tr><th scope="row">${name[language]}<span class="sub only-narrow">${unit[language]}</span></th><td class="hs mid">${unit[language]}</td><td class="number strong">${value}</td></tr>`;
}

function longPrompt(above: number, language: Language): string {
  const tokens = count(above, language);
  return language === 'fa'
    ? `درخواست‌هایی که ورودی‌شان بیش از ${tokens} توکن است`
    : `Requests whose input is longer than ${tokens} tokens`;
}

/** «از ۱ آذر ۱۴۰۵ پاسخ ۱٬۹۱۱٬۶۰۰ تومان می‌شود (۴٫۸۹٪ بیشتر).» */
function announced({ price, announced: next }: Model, language: Language): Markup | undefined {
  if (next === undefined) return undefined;
  const before = priceLines(price);
  const changes = priceLines(next.price).filter(
    (line) => before.find((one) => one.name.en === line.name.en)?.amount !== line.amount,
  );
  const at = moment(next.fromMs, dateText(next.fromMs, language));
  const parts = changes.map(({ name, amount }) => {
    const old = before.find((one) => one.name.en === name.en)?.amount;
    const change = old === undefined ? undefined : changeText(old, amount, language);
    const more = change === undefined ? '' : ` (${change})`;
    return language === 'fa'
      ? html`${name.fa} ${tomanMarkup(amount, language)} تومان می‌شود${more}`
      : html`${name.en.toLowerCase()} becomes ${tomanMarkup(amount, language)} toman${more}`;
  });
  const joined = parts.map((part, index) => html`${index === 0 ? '' : language === 'fa' ? '؛ ' : '; '}${part}`);
  return html`<p class="note is-info under">${icon('clock')}<span>${language === 'fa' ? 'از' : 'From'} ${at} ${joined}.</span></p>`;
}

function withdrawal({ withdrawnFromMs: from, successor }: Model, language: Language): Markup | undefined {
  if (from === undefined) return undefined;
  const at = moment(from, dateText(from, language));
  const next =
    successor === undefined
      ? undefined
      : html` ${language === 'fa' ? 'به‌جای آن:' : 'Use instead:'} <a href="${addressOf(language, modelPath(successor))}"><bdi dir="ltr">${successor}</bdi></a>`;
  const text =
    language === 'fa' ? html`از ${at} دیگر عرضه نمی‌شود.${next}` : html`From ${at} on it is no longer offered.${next}`;
  return html`<p class="note is-warn under">${icon('clock')}<span>${text}</span></p>`;
}

function history({ model, history: past, nowMs }: ModelPageFacts, language: Language): Markup | undefined {
  const say = (text: Text) => text[language];
  const bucket = mainBucket(model);
  const rows = past.flatMap(({ price, fromMs }) => {
    const line = lineOf(price, bucket);
    return line === undefined ? [] : [{ fromMs, line }];
  });
  const [first] = rows;
  if (first === undefined) return undefined;
  const unit = `${first.line.name[language]} · ${first.line.unit[language]}`;
  const steps = rows.filter(({ line }, at) => rows[at - 1]?.line.amount !== line.amount);
  const head = html`<div class="head"><h2 id="h-history">${say(TEXTS.history)} <span class="unit">${unit}</span></h2></div>`;
  if (steps.length === 1) {
    const day = moment(first.fromMs, dateText(first.fromMs, language));
    const text =
      language === 'fa' ? html`از ${day} تا امروز تغییری نکرده است.` : html`It has not changed since ${day}.`;
    return html`<section class="panel" aria-labelledby="h-history">${head}<p class="pad no-top mid">${text}</p></section>`;
  }
  const points: PricePoint[] = steps.map(({ fromMs, line }) => ({ fromMs, value: Number(line.amount) / 1_000_000 }));
  const ends = [steps[0], steps.at(-1)].map((step) => (step === undefined ? '' : plainToman(step.line, language)));
  const label = language === 'fa' ? `از ${ends[0]} به ${ends[1]} تومان` : `from ${ends[0]} to ${ends[1]} toman`;
  return html`<section class="panel" aria-labelledby="h-history">${head}<div class="pad no-top">${priceChart(points, nowMs, `${unit}: ${label}`, language)}<details class="as-table"><summary>${say(TEXTS.table)}</summary><table class="table dense"><thead><tr><th scope="col">${say(TEXTS.since)}</th><th scope="col" class="number">${say(TEXTS.amount)}</th></tr></thead><tbody>${[
    ...steps,
  ]
    .reverse()
    .map(
      ({ fromMs, line }) =>
        html`<tr><th scope="row">${moment(fromMs, dateText(fromMs, language))}</th><td class="number">${tomanMarkup(line.amount, language)}</td></tr>`,
    )}</tbody></table></details></div></section>`;
}

function code({ language, origin }: PageVisit, model: Model): Markup {
  return html`<section class="panel" aria-labelledby="h-code"><div class="head"><h2 id="h-code">${TEXTS.code[language]}</h2></div><div class="pad no-top stack gap-m"><p class="xs mid">${TEXTS.codeHelp[language]}</p>${sampleList(samplesFor(model, origin, language), language)}</div></section>`;
}

function factList(model: Model, language: Language): Markup {
  const say = (text: Text) => text[language];
  const can = [...model.capabilities]
    .filter((one) => !TAKES.includes(one))
    .map((one) => labelOf(CAPABILITY_LABELS, one, language));
  const tokens = (value: number | undefined) =>
    value === undefined ? '—' : `${count(value, language)} ${say(TEXTS.tokens)}`;
  return html`<section class="panel pad" aria-label="${say(TEXTS.facts)}"><dl class="facts"><dt>${say(TEXTS.kind)}</dt><dd>${KINDS[model.kind][language]}</dd><dt>${say(TEXTS.context)}</dt><dd>${tokens(model.context)}</dd><dt>${say(TEXTS.longest)}</dt><dd>${tokens(model.maxOutput)}</dd><dt>${say(TEXTS.takes)}</dt><dd>${takesOf(model, language)}</dd>${can.length === 0 ? undefined : html`<dt>${say(TEXTS.can)}</dt><dd>${listText(can, language, 'unit')}</dd>`}${dataFacts(model, language)}${provedFacts(model, language)}</dl></section>`;
}

/** What was proved, and when last; failures of all routes are shown too. */
function provedFacts({ proved }: Model, language: Language): Markup | undefined {
  if (proved === undefined) return undefined;
  const names = (passed: boolean) =>
    proved.filter((one) => one.passed === passed).map(({ probe }) => PROBE_NAMES[probe][language]);
  const [passing, failing] = [names(true), names(false)];
  const at = dateText(Math.max(...proved.map(({ atMs }) => atMs)), language);
  const line = (name: Text, list: string[]) =>
    list.length === 0 ? undefined : html`<dt>${name[language]}</dt><dd>${listText(list, language, 'unit')}</dd>`;
  return html`${line(TEXTS.proved, passing)}${line(TEXTS.notProved, failing)}<dt>${TEXTS.provedAt[language]}</dt><dd>${at}</dd>`;
}

/** Works without script by a request to the server; the script updates it while one types. */
function calculator({ language }: PageVisit, model: Model, work: Work): Markup {
  const say = (text: Text) => text[language];
  const each = costOf(model.price, { buckets: { inputFresh: work.input, output: work.output }, source: 'estimated' });
  const total: Money = money(each * BigInt(work.messages));
  const field = (name: string, label: Text, unit: Text, value: number) =>
    html`<div class="field grow"><label for="work-${name}">${say(label)}</label><div class="with-unit"><input class="input" id="work-${name}" name="${name}" type="text" inputmode="numeric" value="${count(value, language)}"><span class="unit">${say(unit)}</span></div></div>`;
  const own = { input: unitPrice(model.price, 'inputFresh'), output: unitPrice(model.price, 'output') };
  return html`<section class="panel" aria-labelledby="h-work"><div class="head"><h2 id="h-work">${say(TEXTS.howMuch)}</h2></div><form class="pad no-top stack gap-m" method="get" action="${addressOf(language, modelPath(model.id))}" data-work data-input="${own.input.toString()}" data-output="${own.output.toString()}" data-request="${model.price.perRequest.toString()}">${field('n', TEXTS.perMonth, TEXTS.message, work.messages)}<div class="row keep">${field('in', TEXTS.input, TEXTS.tokens, work.input)}${field('out', TEXTS.output, TEXTS.tokens, work.output)}</div><button class="btn" type="submit" data-without-script>${say(TEXTS.work)}</button></form><div class="stat under" aria-live="polite"><div class="stat-name">${say(TEXTS.monthly)}</div><div class="stat-value big"><span data-work-total>${tomanMarkup(total, language)}</span> <span class="unit">${say(TEXTS.toman)}</span></div><div class="stat-note">${language === 'fa' ? 'هر پیام' : 'Each message'} <span data-work-each>${tomanMarkup(each, language)}</span> ${say(TEXTS.toman)}</div></div></section>`;
}
