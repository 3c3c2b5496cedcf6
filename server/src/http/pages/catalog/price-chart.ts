/** The history of a price as steps: it stands until the day it changes. What is announced is dashed. */
import type { Language } from '@dargah/core/text.ts';
import { count, dateText } from '../figures.ts';
import { html, type Markup } from '../markup.ts';

export interface PricePoint {
  fromMs: number;
  /** In the unit of the chart; rounding is for the drawing alone. */
  value: number;
}

const WIDTH = 900;
const HEIGHT = 200;
/** An announced price is drawn a little beyond its day. */
const BEYOND = 0.06;

export function priceChart(points: readonly PricePoint[], nowMs: number, label: string, language: Language): Markup {
  const first = points[0]?.fromMs ?? nowMs;
  const last = Math.max(nowMs, points.at(-1)?.fromMs ?? nowMs);
  const end = last > nowMs ? last + (last - first) * BEYOND : nowMs;
  const [low, high] = rangeOf(points.map(({ value }) => value));
  const x = (ms: number) => round(((ms - first) / Math.max(1, end - first)) * WIDTH);
  const y = (value: number) => round(HEIGHT - ((value - low) / Math.max(1, high - low)) * HEIGHT);
  const until = (at: number) => points[at + 1]?.fromMs ?? end;
  const solid: string[] = [];
  const dashed: string[] = [];
  points.forEach(({ fromMs, value }, at) => {
    const line = (from: number, to: number) => `L${x(from)} ${y(value)}L${x(to)} ${y(value)}`;
    if (fromMs < nowMs) solid.push(line(fromMs, Math.min(until(at), nowMs)));
    if (until(at) > nowMs) dashed.push(line(Math.max(fromMs, nowMs), until(at)));
  });
  const path = (parts: string[]) => parts.join('').replace('L', 'M');
  const middle = (low + high) / 2;
  return html`<div class="chart"><div class="axis-y" aria-hidden="true">${[high, middle, low].map((value) => html`<span>${count(Math.round(value), language)}</span>`)}</div><div class="plot low"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${[0, HEIGHT / 2, HEIGHT].map((at) => html`<line class="grid" x1="0" x2="${WIDTH}" y1="${at}" y2="${at}"/>`)}${solid.length === 0 ? undefined : html`<path class="ln" d="${path(solid)}"/>`}${dashed.length === 0 || last <= nowMs ? undefined : html`<path class="ln next" d="${path(dashed)}"/>`}</svg></div><div class="axis-x" aria-hidden="true"><span>${dateText(first, language)}</span><span>${dateText(last, language)}</span></div></div>`;
}

/** Round numbers around what is drawn, so that a small change is seen and not made to look large. */
function rangeOf(values: readonly number[]): [low: number, high: number] {
  const most = Math.max(...values, 1);
  const least = Math.min(...values);
  const step = 10 ** Math.floor(Math.log10(most)) / 4;
  const low = least === most ? 0 : Math.max(0, Math.floor(least / step - 1) * step);
  return [low, Math.ceil((most * 1.02) / step) * step];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
