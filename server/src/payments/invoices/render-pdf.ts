/** An invoice as a PDF on A4, right to left in Persian and left to right in English. The library is loaded at the first one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'uqr';
import { isolate, visualRuns } from './bidi-line.ts';
import { type InvoiceLanguage, invoiceText } from './invoice-words.ts';
import type { Invoice } from './invoices.ts';

type Document = PDFKit.PDFDocument;

interface Sheet {
  doc: Document;
  language: InvoiceLanguage;
  left: number;
  right: number;
  y: number;
}

type Align = 'start' | 'end';

const MARGIN = 42;
const WIDTH = 595.28;
const GREY = '#6b7280';
const LINE = '#d1d5db';
/** Shares of the width: text, quantity, rial, toman. */
const COLUMNS = [0.46, 0.1, 0.24, 0.2];

export async function renderInvoicePdf(invoice: Invoice, language: InvoiceLanguage, address: string): Promise<Buffer> {
  const { default: PDFDocument } = await import('pdfkit');
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    info: {
      Title: `invoice ${invoice.year}-${invoice.number}`,
      CreationDate: invoice.issuedAt,
      ModDate: invoice.issuedAt,
    },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    doc.once('end', resolve);
    doc.once('error', reject);
  });
  const fonts = fontsFolder();
  doc.registerFont('regular', join(fonts, 'Vazirmatn-Regular.ttf'));
  doc.registerFont('bold', join(fonts, 'Vazirmatn-Bold.ttf'));
  draw({ doc, language, left: MARGIN, right: WIDTH - MARGIN, y: MARGIN }, invoice, address);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

function draw(sheet: Sheet, invoice: Invoice, address: string): void {
  const text = invoiceText(invoice, sheet.language);
  const { doc } = sheet;
  write(sheet, text.title, { font: 'bold', size: 18 });
  drawQr(sheet, address);
  sheet.y += 30;
  for (const [label, value] of text.facts) {
    write(sheet, `${label}: ${isolate(value)}`, { size: 11 });
    sheet.y += 18;
  }
  sheet.y += 30;
  for (const { title, rows } of text.parties) {
    write(sheet, title, { font: 'bold', size: 12 });
    sheet.y += 20;
    for (const [label, value] of rows) {
      write(sheet, label === '' ? value : `${label}: ${isolate(value)}`, { size: 10 });
      sheet.y += 16;
    }
    sheet.y += 12;
  }
  row(sheet, text.head, 'bold');
  for (const line of text.lines) row(sheet, line, 'regular');
  for (const [label = '', ...amounts] of text.sums) row(sheet, [label, '', ...amounts], 'bold');
  sheet.y += 10;
  if (text.words) write(sheet, `${text.words[0]}: ${text.words[1]}`, { size: 10 });
  sheet.y += 30;
  doc.fillColor(GREY);
  write(sheet, text.scan, { size: 8 });
  sheet.y += 14;
  doc.font('regular').fontSize(8);
  const width = doc.widthOfString(address);
  doc.text(address, sheet.language === 'fa' ? sheet.right - width : sheet.left, sheet.y, {
    lineBreak: false,
    link: address,
  });
}

function row(sheet: Sheet, cells: string[], font: 'regular' | 'bold'): void {
  const { doc, left, right, language } = sheet;
  const width = right - left;
  let used = 0;
  cells.forEach((cell, index) => {
    const share = (COLUMNS[index] ?? 0) * width;
    const from = language === 'fa' ? right - used - share : left + used;
    const align: Align = index === 0 ? 'start' : 'end';
    write(sheet, cell, { font, size: 10, from: from + 4, to: from + share - 4, align });
    used += share;
  });
  sheet.y += 20;
  doc
    .moveTo(left, sheet.y - 3)
    .lineTo(right, sheet.y - 3)
    .lineWidth(0.5)
    .strokeColor(LINE)
    .stroke();
}

interface Style {
  font?: 'regular' | 'bold';
  size: number;
  from?: number;
  to?: number;
  align?: Align;
}

/** One line. `start` is the right side in Persian and the left in English. */
function write(sheet: Sheet, text: string, style: Style): void {
  const { doc, language, y } = sheet;
  const { font = 'regular', size, from = sheet.left, to = sheet.right, align = 'start' } = style;
  doc.font(font).fontSize(size);
  const pieces = visualRuns(text, language === 'fa' ? 'rtl' : 'ltr').map((run) => {
    // Asking for the right-to-left forms makes the library lay out the run as a whole instead of word by word.
    const options = run.joined ? { features: ['rtla' as const] } : {};
    return { run, options, width: doc.widthOfString(run.text, options) };
  });
  const width = pieces.reduce((sum, piece) => sum + piece.width, 0);
  const atRight = (language === 'fa') === (align === 'start');
  let x = atRight ? to - width : from;
  for (const { run, options, width: own } of pieces) {
    doc.text(run.text, x, y, { ...options, lineBreak: false });
    x += own;
  }
}

function drawQr({ doc, left, right, language, y }: Sheet, address: string): void {
  const { data, size } = encode(address);
  const side = 84;
  const dot = side / size;
  const x = language === 'fa' ? left : right - side;
  data.forEach((line, down) => {
    line.forEach((dark, across) => {
      if (dark) doc.rect(x + across * dot, y + down * dot, dot, dot);
    });
  });
  doc.fillColor('#111827').fill();
}

/** Beside the migrations, from source and built. */
function fontsFolder(): string {
  const candidates = ['../fonts', '../../../fonts'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no fonts folder at ${candidates.join(' or ')}`);
  return found;
}
