/** An invoice as a PDF on A4, right to left in Persian and left to right in English. The fonts are loaded at the first one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'uqr';
import { isolate, visualRuns } from './bidi-line.ts';
import { type InvoiceLanguage, invoiceText } from './invoice-words.ts';
import type { Invoice } from './invoices.ts';
import { A4, Sheet } from './pdf/sheet.ts';
import { Typeface } from './pdf/typeface.ts';

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
/** Shares of the width: text, quantity, rial, toman. */
const COLUMNS = [0.46, 0.1, 0.24, 0.2];

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
  const text = invoiceText(invoice, place.language);
  place.sheet.fillWith(INK);
  write(place, text.title, { font: 'bold', size: 18 });
  drawQr(place, address);
  place.y += 30;
  for (const [label, value] of text.facts) {
    write(place, `${label}: ${isolate(value)}`, { size: 11 });
    place.y += 18;
  }
  place.y += 30;
  for (const { title, rows } of text.parties) {
    write(place, title, { font: 'bold', size: 12 });
    place.y += 20;
    for (const [label, value] of rows) {
      write(place, label === '' ? value : `${label}: ${isolate(value)}`, { size: 10 });
      place.y += 16;
    }
    place.y += 12;
  }
  row(place, text.head, 'bold');
  for (const line of text.lines) row(place, line, 'regular');
  for (const [label = '', ...amounts] of text.sums) row(place, [label, '', ...amounts], 'bold');
  place.y += 10;
  if (text.words) write(place, `${text.words[0]}: ${text.words[1]}`, { size: 10 });
  place.y += 30;
  place.sheet.fillWith(GREY);
  write(place, text.scan, { size: 8 });
  place.y += 14;
  const { from, width } = write(place, isolate(address), { size: 8 });
  place.sheet.link(address, from, place.y, width, 12);
}

function row(place: Place, cells: string[], font: Weight): void {
  const { sheet, left, right, language } = place;
  const width = right - left;
  let used = 0;
  cells.forEach((cell, index) => {
    const share = (COLUMNS[index] ?? 0) * width;
    const from = language === 'fa' ? right - used - share : left + used;
    const align: Align = index === 0 ? 'start' : 'end';
    write(place, cell, { font, size: 10, from: from + 4, to: from + share - 4, align });
    used += share;
  });
  place.y += 20;
  sheet.rule(left, right, place.y - 3, LINE);
}

interface Style {
  font?: Weight;
  size: number;
  from?: number;
  to?: number;
  align?: Align;
}

/** One line. `start` is the right side in Persian and the left in English. Returns where it stands. */
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
  const side = 84;
  const dot = side / size;
  const x = language === 'fa' ? left : right - side;
  data.forEach((line, down) => {
    line.forEach((dark, across) => {
      if (dark) sheet.square(x + across * dot, y + down * dot, dot);
    });
  });
}

/** Beside the migrations, from source and built. */
function fontsFolder(): string {
  const candidates = ['../fonts', '../../../fonts'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no fonts folder at ${candidates.join(' or ')}`);
  return found;
}
