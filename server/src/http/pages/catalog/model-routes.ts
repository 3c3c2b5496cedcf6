/**
 * How well each route of a model answers. Routes are letters, because the public must not learn who the suppliers are.
 */

import type { Language, Text } from '@dargah/core/text.ts';
import type { Model } from '../../../catalog/index.ts';
import type { ModelUptime, RouteHistory } from '../../../uptime/index.ts';
import { seconds } from '../figures.ts';
import { html, type Markup } from '../markup.ts';
import { availability, availabilityText, sumOfShares, uptimeBars } from '../uptime-bars.ts';

const TEXTS = {
  title: { fa: 'آپ‌تایم', en: 'Uptime' },
  days: { fa: '۳۰ روز گذشته', en: 'past 30 days' },
  whole: { fa: 'این مدل، همان‌طور که مشتری می‌بیند', en: 'This model, as customers meet it' },
  none: {
    fa: 'در این روزها درخواستی به این مدل نرسیده است، پس عددی برای نشان‌دادن نداریم.',
    en: 'No request reached this model in these days, so there is no figure to show.',
  },
  route: { fa: 'مسیر', en: 'Route' },
  noSpeed: { fa: 'هنوز اندازه‌ای نداریم', en: 'nothing measured yet' },
} satisfies Record<string, Text>;

const LETTERS: Record<Language, string[]> = {
  fa: ['الف', 'ب', 'پ', 'ت', 'ث', 'ج', 'چ', 'ح', 'خ', 'د'],
  en: ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'],
};
const SHOWN_DAYS = 30;

export function modelRoutes(model: Model, uptime: ModelUptime | undefined, language: Language): Markup {
  const say = (text: Text) => text[language];
  const head = html`<div class="head"><h2 id="h-routes">${say(TEXTS.title)}</h2><div class="end xs dim">${say(TEXTS.days)}</div></div>`;
  const whole = uptime?.whole;
  const isMeasured = whole !== undefined && availability(sumOfShares(whole.days.slice(-SHOWN_DAYS))) !== undefined;
  if (!isMeasured)
    return html`<section class="panel" aria-labelledby="h-routes">${head}<p class="pad no-top mid">${say(TEXTS.none)}</p></section>`;
  const routes = model.routes.slice(0, LETTERS.fa.length).flatMap((route, at) => {
    const history = uptime?.routes.get(route.id);
    return history === undefined
      ? []
      : [routeHistory(`${say(TEXTS.route)} ${LETTERS[language][at]}`, history, language)];
  });
  return html`<section class="panel" aria-labelledby="h-routes">${head}<div class="pad no-top stack gap-m">${routeHistory(say(TEXTS.whole), whole, language)}${routes.length > 1 ? routes : undefined}</div></section>`;
}

function routeHistory(name: string, history: RouteHistory, language: Language): Markup {
  const days = history.days.slice(-SHOWN_DAYS);
  return html`<div class="stack gap-s"><div class="row between keep"><span class="strong">${name}</span><span class="tnum">${availabilityText(sumOfShares(days), language)}</span></div>${uptimeBars(days, name, language)}<span class="xs dim">${speed(history, language)}</span></div>`;
}

function speed({ firstTokenMs, slowFirstTokenMs }: RouteHistory, language: Language): string {
  if (firstTokenMs === undefined || slowFirstTokenMs === undefined) return TEXTS.noSpeed[language];
  const usual = seconds(firstTokenMs, language);
  const slow = seconds(slowFirstTokenMs, language);
  return language === 'fa'
    ? `اولین توکن ≈ ${usual} ثانیه؛ در کندترین پنج درصد ≈ ${slow} ثانیه (۷ روز)`
    : `First token ≈ ${usual} s; slowest five per cent ≈ ${slow} s (7 days)`;
}
