/** `/`: what this is, what it costs today, and the first call. Every figure comes from the catalog in force. */

import type { Language, Text } from '@dargah/core/text.ts';
import type { Model } from '../../catalog/index.ts';
import type { Money } from '../../core/money.ts';
import { find, readCatalogQuestion, type ShownCatalog } from './catalog/catalog-filter.ts';
import { modelPath } from './catalog/catalog-row.ts';
import { makerName, modelName } from './catalog/model-labels.ts';
import { lineOf, thousandMessages, USUAL_MESSAGE } from './catalog/model-price.ts';
import { count, tomanMarkup } from './figures.ts';
import type { FramedPage } from './frame.ts';
import { icon } from './icons.ts';
import { html, type Markup } from './markup.ts';
import { sampleList, samplesFor } from './samples.ts';
import { addressOf, type PageVisit } from './visit.ts';

const TEXTS = {
  title: { fa: 'یک کلید برای همهٔ مدل‌ها، به تومان', en: 'One key for every model, in toman' },
  lead: {
    fa: 'کد شما همان می‌ماند؛ آدرس پایه و کلید را عوض می‌کنید. هر درخواست رسیدی دارد که خودتان می‌توانید جمعش بزنید، تا میلیونیم تومان.',
    en: 'Your code stays as it is; you change the base address and the key. Every request has a receipt that you can add up yourself, to the millionth of a toman.',
  },
  begin: { fa: 'ساخت حساب', en: 'Create account' },
  open: { fa: 'رفتن به پنل', en: 'Open the console' },
  see: { fa: 'دیدن قیمت‌ها', en: 'See the prices' },
  firstCall: { fa: 'اولین درخواست', en: 'The first call' },
  today: { fa: 'قیمت امروز', en: 'Prices today' },
  per: { fa: 'تومان برای هر میلیون توکن', en: 'toman per million tokens' },
  all: { fa: 'همهٔ مدل‌ها', en: 'All models' },
  model: { fa: 'مدل', en: 'Model' },
  input: { fa: 'ورودی', en: 'Input' },
  output: { fa: 'پاسخ', en: 'Output' },
  messages: { fa: '۱٬۰۰۰ پیام', en: '1,000 messages' },
  toman: { fa: 'تومان', en: 'toman' },
  free: { fa: 'رایگان', en: 'free' },
  models: { fa: 'مدل آماده', en: 'models ready' },
  makers: { fa: 'سازنده', en: 'makers' },
  cheapest: { fa: 'ارزان‌ترین ۱٬۰۰۰ پیام', en: 'cheapest 1,000 messages' },
  longest: { fa: 'بیشترین کانتکست', en: 'largest context' },
  tokens: { fa: 'توکن', en: 'tokens' },
  simulated: {
    fa: 'این نصب هنوز به ارائه‌دهنده‌ای وصل نیست؛ مدل‌های شبیه‌ساز برای آزمایش آماده‌اند.',
    en: 'This installation is not connected to a provider yet; simulated models are ready for trying things out.',
  },
  gives: { fa: 'چه چیزی فرق می‌کند', en: 'What is different' },
  steps: { fa: 'از صفر تا اولین پاسخ', en: 'From nothing to the first answer' },
  guide: { fa: 'راهنمای کامل', en: 'The whole guide' },
} satisfies Record<string, Text>;

const GIVES: readonly (readonly [name: Text, text: Text, link: string])[] = [
  [
    { fa: 'رسید هر درخواست', en: 'A receipt for each request' },
    {
      fa: 'فرمول هزینه، نسخهٔ قیمت، مبلغ رزروشده و تلاش‌ها، به زبان ساده. درخواستی که پاسخ نگرفت رایگان است.',
      en: 'The cost as a formula, the price version, the hold and the attempts, in plain words. A request without an answer is free.',
    },
    '/guide#receipts',
  ],
  [
    { fa: 'قانون برای هر کلید', en: 'Rules for every key' },
    {
      fa: 'سقف روزانه و ماهانه، آدرس‌های IP مجاز، مدل‌های مجاز و سرعت درخواست. پیش از خرج می‌بینید کدام قانون رد می‌کند.',
      en: 'Daily and monthly caps, permitted addresses and models, rates. You see which rule refuses before anything is spent.',
    },
    '/guide#limits',
  ],
  [
    { fa: 'چند مسیر پشت هر مدل', en: 'Several routes behind a model' },
    {
      fa: 'اگر مسیری پاسخ ندهد، درخواست پیش از اولین کلمه به مسیر دیگر می‌رود و برای تلاش ناموفق پولی کم نمی‌شود.',
      en: 'When a route does not answer, the request moves to another before the first word, and the failed attempt costs nothing.',
    },
    '/status',
  ],
  [
    { fa: 'کتابخانه‌های خودتان', en: 'Your own libraries' },
    {
      fa: 'OpenAI و Anthropic و هرچه با آن‌ها کار می‌کند: «LangChain»، «Claude Code»، «Codex». هر زبان به هر مدل می‌رسد.',
      en: 'OpenAI, Anthropic and whatever works with them: LangChain, Claude Code, Codex. Any protocol reaches any model.',
    },
    '/guide#clients',
  ],
  [
    { fa: 'پایگاه دانش', en: 'Knowledge bases' },
    {
      fa: 'فایل‌هایتان را بدهید تا مدل از روی آن‌ها پاسخ دهد و جای هر پاسخ را نشان دهد.',
      en: 'Give your documents, and the model answers from them and shows where each answer stands.',
    },
    '/guide#knowledge-bases',
  ],
  [
    { fa: 'تکرار بدون هزینه', en: 'Retries without paying twice' },
    {
      fa: 'با «Idempotency-Key» همان پاسخ دوباره می‌آید و یک بار حساب می‌شود، حتی پس از قطع شبکه.',
      en: 'With an Idempotency-Key the same answer comes again and is charged once, also after a lost connection.',
    },
    '/guide#retries-without-paying-twice',
  ],
];

const STEPS: readonly Text[] = [
  {
    fa: 'با شمارهٔ موبایل یا ایمیل وارد شوید؛ رمز لازم نیست.',
    en: 'Sign in with a mobile number or e-mail; no password is needed.',
  },
  { fa: 'کلید بسازید؛ یک بار نشان داده می‌شود.', en: 'Make a key; it is shown once.' },
  {
    fa: 'مدل رایگان آزمایشی را فراخوانی کنید و رسیدش را همان لحظه ببینید.',
    en: 'Call the free trial model and watch its receipt arrive.',
  },
  { fa: 'کیف پول را شارژ کنید و نام مدل را عوض کنید.', en: 'Top up the wallet and change the model’s name.' },
];

const SHOWN_MODELS = 6;

export function landingPage(visit: PageVisit, catalog: ShownCatalog): FramedPage {
  const { language, origin, signedIn } = visit;
  const say = (text: Text) => text[language];
  const first = firstModel(catalog);
  return {
    title: say(TEXTS.title),
    description: say(TEXTS.lead),
    content: html`<div class="hero-pair"><div class="lede"><h1>${say(TEXTS.title)}</h1><p>${say(TEXTS.lead)}</p><div class="row"><a class="btn main" href="/console">${say(signedIn ? TEXTS.open : TEXTS.begin)}</a><a class="btn" href="${addressOf(language, '/catalog')}">${say(TEXTS.see)}</a></div></div>
<section class="panel" aria-labelledby="h-first"><div class="head"><h2 id="h-first">${say(TEXTS.firstCall)}</h2></div><div class="pad no-top">${sampleList(samplesFor(first, origin, language), language)}</div></section></div>
<div class="stack sections">${figures(catalog, language)}${priceList(catalog, language)}
<section class="panel" aria-labelledby="h-gives"><div class="head ruled"><h2 id="h-gives">${say(TEXTS.gives)}</h2></div><ul class="gives">${GIVES.map(([name, text, link]) => html`<li><h3><a href="${linkOf(language, link)}">${name[language]}</a></h3><p>${text[language]}</p></li>`)}</ul></section>
<section class="panel" aria-labelledby="h-steps"><div class="head ruled"><h2 id="h-steps">${say(TEXTS.steps)}</h2><div class="end"><a class="xs" href="${addressOf(language, '/guide')}">${say(TEXTS.guide)}</a></div></div><ol class="steps-list">${STEPS.map((step, at) => html`<li><span class="mark" aria-hidden="true">${count(at + 1, language)}</span><p>${step[language]}</p></li>`)}</ol></section></div>`,
  };
}

function linkOf(language: Language, link: string): string {
  const [path = '/', anchor] = link.split('#', 2);
  return `${addressOf(language, path)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** A call that works as it stands: the free simulator where there is one. */
function firstModel({ models }: ShownCatalog): Pick<Model, 'id' | 'kind'> {
  const all = [...models.values()].filter(({ kind }) => kind === 'chat');
  return all.find(({ id }) => id === 'sandbox/hello') ?? all[0] ?? { id: 'sandbox/hello', kind: 'chat' as const };
}

function realModels(catalog: ShownCatalog): Model[] {
  return find(catalog, readCatalogQuestion(new URLSearchParams())).filter(({ simulated }) => !simulated);
}

function figures(catalog: ShownCatalog, language: Language): Markup {
  const say = (text: Text) => text[language];
  const models = realModels(catalog);
  if (models.length === 0) return html`<p class="panel note">${icon('clock')}<span>${say(TEXTS.simulated)}</span></p>`;
  const costs = models.flatMap((model) => thousandMessages(model, USUAL_MESSAGE) ?? []).filter((cost) => cost > 0n);
  const cheapest = costs.reduce<Money | undefined>(
    (low, cost) => (low === undefined || cost < low ? cost : low),
    undefined,
  );
  const context = Math.max(0, ...models.map((model) => model.context ?? 0));
  const stat = (name: Text, value: Markup | string, unit?: Text) =>
    html`<div class="stat"><dt>${say(name)}</dt><dd class="stat-value big">${value}${unit === undefined ? undefined : html` <span class="unit">${say(unit)}</span>`}</dd></div>`;
  return html`<dl class="panel strip">${stat(TEXTS.models, count(models.length, language))}${stat(TEXTS.makers, count(new Set(models.map(({ vendor }) => vendor)).size, language))}${cheapest === undefined ? undefined : stat(TEXTS.cheapest, tomanMarkup(cheapest, language), TEXTS.toman)}${context === 0 ? undefined : stat(TEXTS.longest, count(context, language), TEXTS.tokens)}</dl>`;
}

function priceList(catalog: ShownCatalog, language: Language): Markup | undefined {
  const say = (text: Text) => text[language];
  const shown = oneOfEach(realModels(catalog).filter(({ kind }) => kind === 'chat')).slice(0, SHOWN_MODELS);
  if (shown.length === 0) return undefined;
  const price = (model: Model, bucket: 'inputFresh' | 'output', name: Text, style: string) => {
    const line = lineOf(model.price, bucket);
    return html`<td class="number ${style}"><span class="cell-unit">${say(name)} </span>${line === undefined ? '—' : tomanMarkup(line.amount, language)}</td>`;
  };
  const cost = (model: Model) => {
    const amount = thousandMessages(model, USUAL_MESSAGE);
    return amount === undefined || amount === 0n
      ? say(TEXTS.free)
      : html`${tomanMarkup(amount, language)}<span class="cell-unit"> <span class="unit">${say(TEXTS.toman)}</span></span>`;
  };
  return html`<section class="panel" aria-labelledby="h-today"><div class="head ruled"><h2 id="h-today">${say(TEXTS.today)} <span class="unit">${say(TEXTS.per)}</span></h2><div class="end"><a class="xs" href="${addressOf(language, '/catalog')}">${say(TEXTS.all)}</a></div></div><table class="table fold"><thead><tr><th scope="col">${say(TEXTS.model)}</th><th scope="col" class="number">${say(TEXTS.input)}</th><th scope="col" class="number">${say(TEXTS.output)}</th><th scope="col" class="number">${say(TEXTS.messages)}</th></tr></thead><tbody>${shown.map(
    (model) =>
      html`<tr><td class="c1"><a class="strong" href="${addressOf(language, modelPath(model.id))}"><bdi>${modelName(model, language)}</bdi></a><span class="sub"><bdi>${makerName(model.vendor, language)}</bdi></span></td>${price(model, 'inputFresh', TEXTS.input, 'c3')}${price(model, 'output', TEXTS.output, 'c4 out')}<td class="number c2 strong">${cost(model)}</td></tr>`,
  )}</tbody></table></section>`;
}

/** Puts the first of each maker before the rest, so that the list shows the breadth. */
function oneOfEach(models: readonly Model[]): Model[] {
  const seen = new Set<string>();
  const first = models.filter(({ vendor }) => !seen.has(vendor) && seen.add(vendor));
  return [...first, ...models.filter((model) => !first.includes(model))];
}
