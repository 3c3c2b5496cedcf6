/**
 * Renders an invoice as a PDF on A4, right to left in Persian and left to right in English. The fonts are loaded for
 * the first invoice.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'uqr';
import { isolate, visualRuns } from './bidi-line.ts';
import type { Invoice } from './invoice-rows.ts';
import { type InvoiceLanguage, type InvoiceText, invoiceText } from './invoice-text.ts';
import { A4, Sheet } from './pdf/sheet.ts';
import { Typeface } from './pdf/typeface.ts';
import { wrappedLines } from './wrapped-lines.ts';

type Weight = 'regular' | 'bold';

interface Place {
  sheet: Sheet;
  language: InvoiceLanguage;
  left: number;
  right: number;
  y: number;
}

type Align = 'start' | 'end';

const MARGIN = 42;
const INK = '#111827';
const GREY = '#6b7280';
const LINE = '#d1d5db';
const SHADE = '#f3f4f6';
const QR_SIDE = 84;
/** Shares of the width: number, text, quantity, unit price, rial, toman. */
const COLUMNS = [0.06, 0.34, 0.09, 0.18, 0.18, 0.15];
/**
 * Since a unit is one toman of credit, the quantity is a long number and the unit price a short one. Older invoices
 * keep their form.
 */
const COLUMNS_OF_UNITS = [0.06, 0.3, 0.14, 0.17, 0.18, 0.15];
/** The columns of the sums: their label takes everything but the last two. */
const SUM_COLUMNS = [0.67, 0.18, 0.15];
const BETWEEN_PARTIES = 12;
const INSIDE = 8;

let typefaces: Promise<ReadonlyMap<Weight, Typeface>> | undefined;

async function loadTypefaces(): Promise<ReadonlyMap<Weight, Typeface>> {
  const harfbuzz = await import('harfbuzzjs');
  const folder = fontsFolder();
  return new Map<Weight, Typeface>([
    ['regular', new Typeface(harfbuzz, join(folder, 'Vazirmatn-Regular.ttf'), 'Vazirmatn-Regular')],
    ['bold', new Typeface(harfbuzz, join(folder, 'Vazirmatn-Bold.ttf'), 'Vazirmatn-Bold')],
  ]);
}

export async function renderInvoicePdf(invoice: Invoice, language: InvoiceLanguage, address: string): Promise<Buffer> {
  typefaces ??= loadTypefaces();
  const sheet = new Sheet(await typefaces);
  draw({ sheet, language, left: MARGIN, right: A4.width - MARGIN, y: MARGIN }, invoice, address);
  return sheet.file(`invoice ${invoice.year}-${invoice.number}`, invoice.issuedAt);
}

function draw(place: Place, invoice: Invoice, address: string): void {
  const { sheet } = place;
  const text = invoiceText(invoice, place.language, address);
  sheet.fillWith(INK);
  drawQr(place, address);
  const underQr = place.y + QR_SIDE + 18;
  write(place, text.title, { font: 'bold', size: 18 });
  place.y += 34;
  if (text.notOfficial !== undefined) {
    write(place, text.notOfficial, { size: 10 });
    place.y += 18;
  }
  for (const [label, value] of text.facts) {
    write(place, `${label}: ${isolate(value)}`, { size: 11 });
    place.y += 18;
  }
  place.y = Math.max(place.y, underQr);
  drawParties(place, text.parties);
  place.y += 16;
  const columns = invoice.lines.some(({ quantity }) => quantity > 1) ? COLUMNS_OF_UNITS : COLUMNS;
  row(place, text.head, { columns, text: 1, font: 'bold', shaded: true });
  for (const line of text.lines) row(place, line, { columns, text: 1 });
  text.sums.forEach((cells, index) => {
    const isTotal = index === text.sums.length - 1;
    row(place, cells, { columns: SUM_COLUMNS, text: 0, font: isTotal ? 'bold' : 'regular', shaded: isTotal });
  });
  place.y += 12;
  if (text.words) paragraph(place, text.words, { size: 10 });
  place.y += 24;
  sheet.fillWith(GREY);
  write(place, text.scan, { size: 8 });
  place.y += 14;
  const { from, width } = write(place, isolate(address), { size: 8 });
  sheet.link(address, from, place.y, width, 12);
}

/** Draws the parties side by side, the seller where reading begins, both as high as the taller one. */
function drawParties(place: Place, parties: InvoiceText['parties']): void {
  const { sheet, left, right, y: top } = place;
  const width = (right - left - BETWEEN_PARTIES) / 2;
  let bottom = top;
  const boxes = parties.map((_, index) => {
    const shift = (width + BETWEEN_PARTIES) * index;
    return place.language === 'fa' ? right - shift - width : left + shift;
  });
  parties.forEach(({ title, rows }, index) => {
    const from = boxes[index] ?? left;
    sheet.box(from, top, width, 22, SHADE);
    sheet.fillWith(INK);
    const inside = { ...place, left: from + INSIDE, right: from + width - INSIDE, y: top + 5 };
    write(inside, title, { font: 'bold', size: 10 });
    inside.y += 23;
    rows.forEach((pair, at) => {
      paragraph(inside, pair, { size: 9, font: at === 0 ? 'bold' : 'regular' });
    });
    bottom = Math.max(bottom, inside.y + 4);
  });
  for (const from of boxes) sheet.frame(from, top, width, bottom - top, LINE);
  place.y = bottom;
}

interface RowStyle {
  columns: readonly number[];
  /** The text column: it is where reading begins and may take several lines; the other columns are numbers. */
  text: number;
  font?: Weight;
  shaded?: boolean;
}

function row(place: Place, cells: readonly string[], { columns, text, font = 'regular', shaded }: RowStyle): void {
  const { sheet, left, right, language } = place;
  const width = right - left;
  let used = 0;
  const spans = cells.map((_, index) => {
    const share = (columns[index] ?? 0) * width;
    const from = language === 'fa' ? right - used - share : left + used;
    used += share;
    return { from: from + 4, to: from + share - 4 };
  });
  const span = spans[text] ?? { from: left, to: right };
  const lines = linesOf(place, '', cells[text] ?? '', { font, size: 9, ...span });
  const height = lines.length * 15 + 7;
  if (shaded) {
    sheet.box(left, place.y, width, height, SHADE);
    sheet.fillWith(INK);
  }
  const top = place.y;
  place.y += 5;
  cells.forEach((cell, index) => {
    // Digits run left to right in both languages, so figures are aligned on their right edge in both.
    const align = language === 'fa' ? 'start' : 'end';
    if (index !== text) write(place, cell, { font, size: 9, ...spans[index], align });
  });
  for (const line of lines) {
    write(place, line, { font, size: 9, ...span });
    place.y += 15;
  }
  place.y = top + height;
  sheet.rule(left, right, place.y, LINE);
}

/** Draws a label and its value in as many lines as they take. */
function paragraph(place: Place, [label, value]: [string, string], style: Style): void {
  for (const line of linesOf(place, label === '' ? '' : `${label}: `, value, style)) {
    write(place, line, style);
    place.y += Math.round(style.size * 1.75);
  }
}

function linesOf({ sheet, language, left, right }: Place, lead: string, value: string, style: Style): string[] {
  const { font = 'regular', size, from = left, to = right } = style;
  const base = language === 'fa' ? 'rtl' : 'ltr';
  return wrappedLines(lead, value, (line) => sheet.measure(visualRuns(line, base), font, size).width <= to - from);
}

interface Style {
  font?: Weight;
  size: number;
  from?: number;
  to?: number;
  align?: Align;
}

/** Draws one line. `start` is the right side in Persian and the left in English. Returns its position. */
function write(
  { sheet, language, y, left, right }: Place,
  text: string,
  style: Style,
): { from: number; width: number } {
  const { font = 'regular', size, from = left, to = right, align = 'start' } = style;
  const line = sheet.measure(visualRuns(text, language === 'fa' ? 'rtl' : 'ltr'), font, size);
  const atRight = (language === 'fa') === (align === 'start');
  const x = atRight ? to - line.width : from;
  sheet.draw(line, x, y);
  return { from: x, width: line.width };
}

function drawQr({ sheet, left, right, language, y }: Place, address: string): void {
  const { data, size } = encode(address);
  const dot = QR_SIDE / size;
  const x = language === 'fa' ? left : right - QR_SIDE;
  data.forEach((line, down) => {
    line.forEach((dark, across) => {
      if (dark) sheet.square(x + across * dot, y + down * dot, dot);
    });
  });
}

/** The folder beside the migrations, both in the source and when built. */
function fontsFolder(): string {
  const candidates = ['../fonts', '../../../fonts'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no fonts folder at ${candidates.join(' or ')}`);
  return found;
}
