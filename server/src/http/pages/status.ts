/** `/status`: what works now, the past ninety days of every maker's models, and what the operator wrote about incidents. */

import type { Language, Text } from '@dargah/core/text.ts';
import type { CatalogSnapshot } from '../../catalog/index.ts';
import type { Incident } from '../../support/index.ts';
import type { UptimeHistory, UptimeOverview } from '../../uptime/index.ts';
import { makerName } from './catalog/model-labels.ts';
import { count, dateText, dateTimeText, listText, moment } from './figures.ts';
import type { FramedPage } from './frame.ts';
import { icon } from './icons.ts';
import { html, type Markup } from './markup.ts';
import { availability, availabilityText, qualityOf, sumOfShares, uptimeBars } from './uptime-bars.ts';
import type { PageVisit } from './visit.ts';

const TEXTS = {
  title: { fa: 'وضعیت سرویس', en: 'Service status' },
  description: {
    fa: 'آپ‌تایم مدل‌ها در نود روز گذشته و رخدادها، از اندازه‌گیری درخواست‌های واقعی.',
    en: 'Uptime of the models over the past ninety days and incidents, measured on real requests.',
  },
  allWell: { fa: 'همهٔ سرویس‌ها در دسترس است', en: 'Everything is up' },
  partly: { fa: 'بخشی از سرویس اختلال دارد', en: 'Part of the service is disturbed' },
  down: { fa: 'بخشی از سرویس قطع است', en: 'Part of the service is down' },
  works: { fa: 'سرویس در دست تعمیر است', en: 'Maintenance is under way' },
  quiet: { fa: 'رخداد حل‌نشده‌ای نداریم', en: 'No open incident' },
  lately: { fa: 'بر اساس درخواست‌های دو ساعت گذشته.', en: 'From the requests of the past two hours.' },
  quietWhy: {
    fa: 'در دو ساعت گذشته درخواستی نبوده است که از آن اندازه بگیریم.',
    en: 'There was no request in the past two hours to measure by.',
  },
  ninety: { fa: 'آپ‌تایم ۹۰ روز', en: 'Uptime, 90 days' },
  older: { fa: '۹۰ روز پیش', en: '90 days ago' },
  today: { fa: 'امروز', en: 'Today' },
  maker: { fa: 'سازندهٔ مدل', en: 'Maker of the models' },
  inNumbers: { fa: 'به عدد', en: 'In numbers' },
  week: { fa: '۷ روز', en: '7 days' },
  month: { fa: '۳۰ روز', en: '30 days' },
  quarter: { fa: '۹۰ روز', en: '90 days' },
  past: { fa: 'رخدادهای ۹۰ روز گذشته', en: 'Incidents of the past 90 days' },
  nonePast: { fa: 'در این ۹۰ روز رخدادی ثبت نشده است.', en: 'No incident was written down in these 90 days.' },
  onlyOpen: {
    fa: 'رخداد دیگری در این ۹۰ روز ثبت نشده است؛ رخداد حل‌نشده در بالای صفحه است.',
    en: 'No other incident was written down in these 90 days; the open one stands at the top of the page.',
  },
  nothing: {
    fa: 'هنوز درخواستی نیامده است که از آن اندازه بگیریم. با اولین درخواست‌ها این‌جا پر می‌شود.',
    en: 'No request has come yet to measure by. This fills with the first ones.',
  },
  unmeasured: { fa: 'در این ۹۰ روز درخواستی نداشته‌اند:', en: 'Without a request in these 90 days:' },
  all: { fa: 'همهٔ سرویس', en: 'the whole service' },
  how: { fa: 'چگونه اندازه می‌گیریم؟', en: 'How is it measured?' },
  howText: {
    fa: 'هر درخواست واقعی مشتری‌ها شمرده می‌شود: پاسخی که رسید موفق است؛ پاسخی که به خطای ما یا ارائه‌دهنده نرسید یا نیمه‌کاره ماند ناموفق است. درخواستی که به‌سبب سقف، موجودی یا خطای خود درخواست پذیرفته نشد در شمارش نمی‌آید. اگر یک مسیر پاسخ ندهد و مسیر دیگری پاسخ بدهد، مشتری پاسخش را گرفته است و همان شمرده می‌شود. عددها ساعت به ساعت نگه داشته می‌شوند و روزی که درخواستی نداشته است «بدون داده» است.',
    en: 'Every real request of customers counts: an answer that arrived is a success; one that failed or broke off through our fault or a provider’s is a failure. A request that was refused for a limit, a balance or a mistake of its own does not count. When one route fails and another answers, the customer has the answer, and that is what counts. Numbers are kept hour by hour; a day without a request has “no data”.',
  },
} satisfies Record<string, Text>;

const QUALITIES: Record<'good' | 'warn' | 'bad' | 'none', Text> = {
  good: { fa: '۹۹٪ و بیشتر', en: '99% and more' },
  warn: { fa: '۹۵٪ تا ۹۹٪', en: '95% to 99%' },
  bad: { fa: 'کمتر از ۹۵٪', en: 'below 95%' },
  none: { fa: 'بدون داده', en: 'no data' },
};

type State = 'ok' | 'none' | 'works' | 'partly' | 'down';
/** The states from best to worst. */
const ORDER: State[] = ['ok', 'none', 'works', 'partly', 'down'];
const PILLS: Record<State, readonly [style: string, name: Text]> = {
  ok: ['ok', { fa: 'در دسترس', en: 'up' }],
  none: ['off', { fa: 'بدون داده', en: 'no data' }],
  works: ['is-info', { fa: 'در دست تعمیر', en: 'maintenance' }],
  partly: ['is-warn', { fa: 'اختلال', en: 'disturbed' }],
  down: ['is-bad', { fa: 'قطع', en: 'down' }],
};
const IMPACTS: Record<string, readonly [state: State, name: Text]> = {
  minor: ['partly', { fa: 'اختلال', en: 'disturbance' }],
  major: ['down', { fa: 'قطعی', en: 'outage' }],
  maintenance: ['works', { fa: 'تعمیر', en: 'maintenance' }],
};
const STEPS: Record<string, Text> = {
  investigating: { fa: 'در حال بررسی', en: 'Investigating' },
  identified: { fa: 'علت پیدا شد', en: 'Identified' },
  monitoring: { fa: 'تحت نظر', en: 'Monitoring' },
  resolved: { fa: 'برطرف شد', en: 'Resolved' },
};

export interface StatusFacts {
  catalog: Pick<CatalogSnapshot, 'models'>;
  uptime: UptimeOverview | undefined;
  incidents: readonly Incident[];
}

interface MakerStatus {
  id: string;
  name: string;
  simulated: boolean;
  history: UptimeHistory | undefined;
  state: State;
}

export function statusPage({ language }: PageVisit, { catalog, uptime, incidents }: StatusFacts): FramedPage {
  const say = (text: Text) => text[language];
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null);
  const makers = makersOf(catalog, uptime, open, language);
  const measured = makers.filter(({ history, state }) => history !== undefined || state !== 'none');
  const unmeasured = makers.filter((maker) => !measured.includes(maker));
  const states = [...makers.map(({ state }) => state), ...open.map(stateOfIncident)];
  const worst = worstOf(states.filter((state) => state !== 'none')) ?? 'none';
  return {
    title: say(TEXTS.title),
    description: say(TEXTS.description),
    content: html`<div class="lede"><h1 class="state state-${worst}">${say(headline(worst))}</h1><p>${say(worst === 'none' ? TEXTS.quietWhy : TEXTS.lately)}</p></div>
<div class="stack">
${open.map((incident) => incidentPanel(incident, language))}
<section class="panel" aria-labelledby="h-days"><div class="head ruled"><h2 id="h-days">${say(TEXTS.ninety)}</h2><div class="end legend" aria-hidden="true">${legend(language)}</div></div>
${
  measured.length === 0
    ? html`<p class="pad mid">${say(TEXTS.nothing)}</p>`
    : html`<ul class="makers">${measured.map((maker) => makerRow(maker, language))}</ul><div class="foot ends"><span>${say(TEXTS.older)}</span><span>${say(TEXTS.today)}</span></div>`
}${measured.length === 0 || unmeasured.length === 0 ? undefined : html`<p class="foot">${say(TEXTS.unmeasured)} ${listed(unmeasured, language)}</p>`}</section>
${measured.length === 0 ? undefined : html`<section class="panel" aria-labelledby="h-numbers"><div class="head ruled"><h2 id="h-numbers">${say(TEXTS.inNumbers)}</h2></div>${numbers(measured, language)}</section>`}
<section class="panel" aria-labelledby="h-past"><div class="head ruled"><h2 id="h-past">${say(TEXTS.past)}</h2></div>${
      incidents.length === open.length
        ? html`<p class="pad mid">${say(open.length === 0 ? TEXTS.nonePast : TEXTS.onlyOpen)}</p>`
        : incidents
            .filter(({ resolvedAt }) => resolvedAt !== null)
            .map((incident) => html`<article class="pad incident">${incidentBody(incident, language, 'h3')}</article>`)
    }</section>
<section class="panel pad stack gap-s" aria-labelledby="h-how"><h2 id="h-how">${say(TEXTS.how)}</h2><p class="text mid">${say(TEXTS.howText)}</p></section>
</div>`,
  };
}

function makersOf(
  { models }: Pick<CatalogSnapshot, 'models'>,
  uptime: UptimeOverview | undefined,
  open: readonly Incident[],
  language: Language,
): MakerStatus[] {
  const simulated = new Map<string, boolean>();
  for (const model of models.values())
    simulated.set(model.vendor, (simulated.get(model.vendor) ?? true) && model.simulated);
  return [...simulated]
    .map(([id, isSimulated]) => {
      const history = uptime?.vendors.get(id);
      const named = open.filter(({ vendors }) => vendors.length === 0 || vendors.includes(id));
      const state = worstOf(named.map(stateOfIncident)) ?? measuredState(history);
      return { id, name: makerName(id, language), simulated: isSimulated, history, state };
    })
    .sort((a, b) => Number(a.simulated) - Number(b.simulated) || a.name.localeCompare(b.name, language));
}

function listed(makers: readonly MakerStatus[], language: Language): string {
  return listText(
    makers.map(({ name }) => name),
    language,
    'unit',
  );
}

function measuredState(history: UptimeHistory | undefined): State {
  const value = history && availability(history.lately);
  if (value === undefined) return 'none';
  return value >= 0.95 ? 'ok' : value >= 0.5 ? 'partly' : 'down';
}

function stateOfIncident({ impact }: Incident): State {
  return IMPACTS[impact]?.[0] ?? 'partly';
}

function worstOf(states: readonly State[]): State | undefined {
  return states.reduce<State | undefined>(
    (worst, state) => (worst === undefined || ORDER.indexOf(state) > ORDER.indexOf(worst) ? state : worst),
    undefined,
  );
}

function headline(state: State): Text {
  return { ok: TEXTS.allWell, none: TEXTS.quiet, works: TEXTS.works, partly: TEXTS.partly, down: TEXTS.down }[state];
}

function pill(state: State, language: Language): Markup {
  const [style, name] = PILLS[state];
  return html`<span class="pill ${style}">${name[language]}</span>`;
}

function legend(language: Language): Markup[] {
  return (['good', 'warn', 'bad', 'none'] as const).map(
    (quality) => html`<span><i class="swatch q-${quality}"></i>${QUALITIES[quality][language]}</span>`,
  );
}

function makerRow({ name, history, state }: MakerStatus, language: Language): Markup {
  const days = history?.days ?? [];
  const bars =
    days.length === 0
      ? html`<div class="days-bars no-bars" aria-hidden="true"></div>`
      : uptimeBars(days, name, language);
  return html`<li><div class="row between"><h3><bdi>${name}</bdi></h3><span class="row">${pill(state, language)}<span class="tnum mid share">${history === undefined ? '—' : availabilityText(history.total, language)}</span></span></div>${bars}</li>`;
}

function numbers(makers: readonly MakerStatus[], language: Language): Markup {
  const say = (text: Text) => text[language];
  const cell = (history: UptimeHistory | undefined, days: number, style: string) => {
    const share = sumOfShares(history?.days.slice(-days) ?? []);
    const quality = qualityOf(share);
    const colour = quality === 'warn' || quality === 'bad' ? ` ${quality}` : '';
    return html`<td class="number ${style}${colour}">${availability(share) === undefined ? '—' : availabilityText(share, language)}</td>`;
  };
  return html`<table class="table"><thead><tr><th scope="col">${say(TEXTS.maker)}</th><th scope="col" class="number">${say(TEXTS.week)}</th><th scope="col" class="number">${say(TEXTS.month)}</th><th scope="col" class="number">${say(TEXTS.quarter)}</th></tr></thead><tbody>${makers.map(
    ({ name, history }) =>
      html`<tr><th scope="row"><bdi>${name}</bdi></th>${cell(history, 7, '')}${cell(history, 30, '')}${cell(history, 90, 'strong')}</tr>`,
  )}</tbody></table>`;
}

function incidentPanel(incident: Incident, language: Language): Markup {
  const state = stateOfIncident(incident);
  const tone = state === 'down' ? 'bad' : state === 'works' ? 'info' : 'warn';
  return html`<section class="panel incident is-open tone-${tone}" aria-labelledby="h-${incident.id}"><div class="pad">${incidentBody(incident, language, 'h2')}</div></section>`;
}

function incidentBody(
  { id, title, impact, vendors, updates, startedAt, resolvedAt }: Incident,
  language: Language,
  level: 'h2' | 'h3',
) {
  const [state, name] = IMPACTS[impact] ?? ['partly', { fa: impact, en: impact }];
  const scope =
    vendors.length === 0 ? TEXTS.all[language] : vendors.map((vendor) => makerName(vendor, language)).join('، ');
  const heading = html`<bdi>${title[language]}</bdi>`;
  const began = startedAt.getTime();
  return html`${level === 'h2' ? html`<h2 id="h-${id}">${icon('warn')} ${heading}</h2>` : html`<h3>${heading}</h3>`}
<p class="xs mid row"><span class="pill ${resolvedAt === null ? PILLS[state][0] : 'off'}">${name[language]}</span><span>${scope}</span><span>${moment(began, dateTimeText(began, language))}${resolvedAt === null ? undefined : lasted(began, resolvedAt.getTime(), language)}</span></p>
<ol class="updates">${[...updates].reverse().map((update) => {
    const at = Date.parse(update.at);
    return html`<li><span class="xs mid"><strong>${STEPS[update.state]?.[language] ?? update.state}</strong> · ${moment(at, dateTimeText(at, language))}</span><p dir="auto">${update.text[language]}</p></li>`;
  })}</ol>`;
}

/** « · تا ۱۴:۰۵، ۴۲ دقیقه» */
function lasted(fromMs: number, toMs: number, language: Language): Markup {
  const minutes = Math.max(1, Math.round((toMs - fromMs) / 60_000));
  const hours = Math.round(minutes / 60);
  const length =
    minutes < 120
      ? `${count(minutes, language)} ${language === 'fa' ? 'دقیقه' : minutes === 1 ? 'minute' : 'minutes'}`
      : `${count(hours, language)} ${language === 'fa' ? 'ساعت' : 'hours'}`;
  return html` · ${language === 'fa' ? 'برطرف شد' : 'resolved'} ${moment(toMs, dateText(toMs, language))} · ${length}`;
}
