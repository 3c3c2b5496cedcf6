/** Invoices: numbers without gaps, the data on them, and the letters in their PDF. @tier gateway */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeToman } from '../../src/payments/amounts.ts';
import { isolate, visualRuns } from '../../src/payments/invoices/bidi-line.ts';
import { invoiceNumber, readInvoiceNumber } from '../../src/payments/invoices/invoice-number.ts';
import type { Invoice } from '../../src/payments/invoices/invoice-rows.ts';
import { invoiceText } from '../../src/payments/invoices/invoice-text.ts';
import { createInvoices } from '../../src/payments/invoices/invoices.ts';
import { jalaliDate } from '../../src/payments/invoices/jalali-date.ts';
import { keptPdfs } from '../../src/payments/invoices/kept-pdfs.ts';
import {
  isCompanyId,
  isEconomicCode,
  isPersonId,
  isPostalCode,
  readIdentity,
} from '../../src/payments/invoices/legal-identity.ts';
import { A4 } from '../../src/payments/invoices/pdf/sheet.ts';
import { inPersianWords } from '../../src/payments/invoices/persian-words.ts';
import { renderInvoicePdf } from '../../src/payments/invoices/render-pdf.ts';
import { wrappedLines } from '../../src/payments/invoices/wrapped-lines.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { type CashDesk, makeAccount, openCashDesk, proveBooks } from './cash-desk.ts';

const clock = new HandClock();
const SELLER = readIdentity({
  kind: 'company',
  name: 'شرکت درگاه پردازش (سهامی خاص)',
  national_id: '14003778990',
  economic_code: '14003778990',
  registration_number: '۴۵۶۷۸',
  postal_code: '1439614411',
  address: 'تهران، خیابان آزادی، پلاک ۱۲',
  phone: '021-12345678',
});
let temporary: TemporaryDatabase;
let desk: CashDesk;
const invoices = () =>
  createInvoices({
    db: temporary.db,
    clock,
    randomBytes,
    settings: async () => ({ seller: SELLER, vatBasisPoints: 1000 }),
  });

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  desk = openCashDesk({
    db: temporary.db,
    clock,
    vatBasisPoints: 1000,
    seller: SELLER,
  });
  await desk.gateways.change('bank-transfer', { enabled: true }, 'owner');
  for (let n = 0; n < 5; n++) await makeAccount(temporary.db, `buyer-${n}`);
});
afterAll(async () => {
  await proveBooks(desk.books);
  await desk.close();
  await temporary.remove();
});

async function topUp(accountId: string, at = desk) {
  const input = { accountId, gateway: 'bank-transfer', amount: wholeToman(1_234_567n), createdBy: 'test' };
  const order = await at.orders.begin({ ...input, language: 'fa', origin: 'https://x.test' });
  return at.orders.confirmTransfer(order.id, `track of ${order.id}`, 'finance');
}

describe('numbers', () => {
  it('have no gaps, also when top-ups come at once and some fail', async () => {
    const failing = failingCredit(desk);
    await Promise.allSettled(Array.from({ length: 20 }, (_, n) => (n % 4 === 0 ? failing() : topUp(`buyer-${n % 5}`))));
    const { items } = await invoices().list({}, { limit: 100 });
    expect(items).toHaveLength(15);
    expect(items.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 15 }, (_, n) => n + 1),
    );
  });

  it('begin again with the Jalali year', async () => {
    clock.nowMs = Date.parse('2027-03-20T20:29:59Z');
    await topUp('buyer-1');
    clock.nowMs = Date.parse('2027-03-20T20:30:00Z');
    await topUp('buyer-1');
    const { items } = await invoices().list({ accountId: 'buyer-1' }, { limit: 2 });
    expect(items.map(invoiceNumber)).toEqual(['1406-000001', '1405-000016']);
  });

  it('of receipts, which no seller stands on, are a series of their own, and so are those of their refunds', async () => {
    const nameless = openCashDesk({ db: temporary.db, clock });
    const paid = await topUp('buyer-4', nameless);
    await topUp('buyer-4');
    // By now the seller is known; a receipt is still none of the official papers.
    await desk.refunds.refund(paid.id, { reason: 'test', byHand: true }, 'finance');
    const { items } = await invoices().list({ accountId: 'buyer-4' }, { limit: 3 });
    expect(items.map(invoiceNumber).sort()).toEqual(['1406-000002', 'R-1406-000001', 'R-1406-000002']);
    const back = items.find(({ kind }) => kind === 'credit-note') as Invoice;
    const { title, notOfficial } = invoiceText(back, 'en', 'https://gateway.test/invoices/inv_1');
    expect([title, notOfficial]).toEqual(['Refund receipt', 'This is not an official invoice.']);
    for (const { year, number } of items)
      expect(readInvoiceNumber(invoiceNumber({ year, number }))).toEqual({ year, number });
    await nameless.close();
  });

  it('are never changed afterwards', async () => {
    await expect(temporary.db.query('update invoice set amount = 1')).rejects.toThrow(/never changed/);
    await expect(temporary.db.query('delete from invoice')).rejects.toThrow(/never changed/);
  });
});

/** A credit whose transaction fails after its invoice was written. */
let failures = 0;
function failingCredit({ books }: CashDesk) {
  return () =>
    books.transfer(
      { id: `never-${++failures}`, kind: 'top-up', accountId: 'buyer-0', amount: wholeToman(1n) },
      async (tx) => {
        const [row] = await tx.query<{ id: string }>('select id from payment_order limit 1');
        await tx.query(
          `insert into invoice_series (year, last) values (1405, 1) on conflict (year) do update set last = invoice_series.last + 1`,
        );
        throw new Error(`died beside ${row?.id}`);
      },
    );
}

describe('legal data', () => {
  it('knows a national id by its check digit', () => {
    expect(['0013542419', '0076229645', '4271467685'].every(isPersonId)).toBe(true);
    expect(['0013542418', '1111111111', '123', '00135424199'].some(isPersonId)).toBe(false);
  });

  it('knows a company by its check digit', () => {
    expect(['14003778990', '10380284790'].every(isCompanyId)).toBe(true);
    expect(['14003778991', '11111111111', '1400377899'].some(isCompanyId)).toBe(false);
  });

  it('knows economic and postal codes', () => {
    expect(isEconomicCode('14003778990')).toBe(true);
    expect(isEconomicCode('00135424190001')).toBe(true);
    expect(isEconomicCode('411111111111')).toBe(true);
    expect(['14003778991', '00135424180001', '12'].some(isEconomicCode)).toBe(false);
    expect(isPostalCode('1439614411')).toBe(true);
    expect(['1239614411', '143961441', '1111111111'].some(isPostalCode)).toBe(false);
  });

  it('reads Persian digits and refuses what is wrong by its name', () => {
    expect(readIdentity({ kind: 'person', name: ' سارا ', national_id: '۰۰۱۳۵۴۲۴۱۹' })).toMatchObject({
      name: 'سارا',
      nationalId: '0013542419',
    });
    const wrong = (given: object) => () => readIdentity({ kind: 'person', name: 'x', ...given });
    expect(wrong({ national_id: '0013542418' })).toThrow(/national_id/);
    expect(wrong({ postal_code: '12' })).toThrow(/postal_code/);
    expect(wrong({ economic_code: '12' })).toThrow(/economic_code/);
    expect(wrong({ kind: 'company' })).toThrow(/national_id/);
  });

  it('stays on an invoice as it was when it was issued', async () => {
    await invoices().setIdentity('buyer-2', { kind: 'person', name: 'سارا رضایی', national_id: '0013542419' });
    const order = await topUp('buyer-2');
    await invoices().setIdentity('buyer-2', { kind: 'person', name: 'نام دیگر' });
    const id = await invoices().idOfOrder(order.id);
    const invoice = await invoices().get(id ?? '');
    expect(invoice.buyer).toMatchObject({ name: 'سارا رضایی', nationalId: '0013542419' });
    expect(invoice).toMatchObject({ amount: wholeToman(1_234_567n), vat: wholeToman(123_457n), vatBasisPoints: 1000 });
    await expect(invoices().get(id ?? '', 'buyer-3')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('words and letters', () => {
  it('writes amounts in words', () => {
    expect(inPersianWords(13_580_240n)).toBe('سیزده میلیون و پانصد و هشتاد هزار و دویست و چهل');
    expect(inPersianWords(1_000n)).toBe('هزار');
    expect(inPersianWords(0n)).toBe('صفر');
    expect(inPersianWords(1_000_000_001n)).toBe('یک میلیارد و یک');
  });

  it('orders mixed text as a Persian reads it', () => {
    expect(visualRuns('شماره: ۱۲ (ABC)', 'rtl')).toEqual([
      { text: ')', seen: '(', direction: 'rtl' },
      { text: 'ABC', seen: 'ABC', direction: 'ltr' },
      { text: ' (', seen: ' )', direction: 'rtl' },
      { text: '۱۲', seen: '۱۲', direction: 'ltr' },
      { text: 'شماره: ', seen: 'شماره: ', direction: 'rtl' },
    ]);
    const isolated = visualRuns(`شماره: ${isolate('۱-۲')}`, 'rtl').map(({ text }) => text);
    expect(isolated).toEqual(['۱-۲', 'شماره: ']);
    expect(visualRuns('Number: 12', 'ltr')).toEqual([{ text: 'Number: 12', seen: 'Number: 12', direction: 'ltr' }]);
  });

  it.each(['fa', 'en'] as const)(
    'makes a PDF in %s whose text can be read out again',
    async (language) => {
      const { items } = await invoices().list({ accountId: 'buyer-2' }, { limit: 1 });
      const pdf = await renderInvoicePdf(items[0] as Invoice, language, 'https://gateway.test/invoices/inv_1');
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
      const folder = await mkdtemp(join(tmpdir(), 'dargah-invoice-'));
      const path = join(folder, `${language}.pdf`);
      await writeFile(path, pdf);
      if (process.env['KEEP_PDF']) await writeFile(join(process.env['KEEP_PDF'], `${language}.pdf`), pdf);
      const { stdout } = await promisify(execFile)('pdftotext', ['-layout', path, '-']);
      await rm(folder, { recursive: true });
      expect(stdout).toContain('https://gateway.test/invoices/inv_1');
      // Joined letters come out as the letters they stand for, in reading order.
      const title = invoiceText(items[0] as Invoice, language, 'https://pay.test/x').title.replaceAll('\u200c', '');
      expect(stdout).toContain(title);
      // The font is cut down to the letters of the invoice: whole, two weights are 100 kB and more.
      expect(pdf.length).toBeLessThan(60_000);
      expect(stdout).toContain(language === 'fa' ? '۱۳٬۵۸۰٬۲۴۰' : '13,580,240');
    },
    120_000,
  );

  it.each(['fa', 'en'] as const)('puts the figures of a column on their right edge in %s', async (language) => {
    const { items } = await invoices().list({ accountId: 'buyer-2' }, { limit: 1 });
    const folder = await mkdtemp(join(tmpdir(), 'dargah-invoice-'));
    const path = join(folder, 'edges.pdf');
    await writeFile(path, await renderInvoicePdf(items[0] as Invoice, language, 'https://gateway.test/invoices/inv_1'));
    const { stdout } = await promisify(execFile)('pdftotext', ['-bbox', path, '-']);
    await rm(folder, { recursive: true });
    // The sum, its tax and the total in rial, one above the other.
    const texts =
      language === 'fa' ? ['۱۲٬۳۴۵٬۶۷۰', '۱٬۲۳۴٬۵۷۰', '۱۳٬۵۸۰٬۲۴۰'] : ['12,345,670', '1,234,570', '13,580,240'];
    const edges = texts.map((text) => Number(new RegExp(`xMax="([\\d.]+)"[^>]*>${text}<`).exec(stdout)?.[1]));
    expect(Math.max(...edges) - Math.min(...edges)).toBeLessThan(0.5);
  });

  it('says receipt, and names the service, where the seller gave no details; a specimen says so', async () => {
    const { items } = await invoices().list({ accountId: 'buyer-2' }, { limit: 1 });
    const invoice = items[0] as Invoice;
    const address = 'https://gateway.test/invoices/inv_1';
    expect(invoiceText(invoice, 'en', address)).toMatchObject({ title: 'Invoice', notOfficial: undefined });
    const nameless = { ...invoice, seller: { ...invoice.seller, name: '', nationalId: null } };
    const receipt = invoiceText(nameless, 'fa', address);
    expect(receipt).toMatchObject({ title: 'رسید پرداخت', notOfficial: 'این برگه صورت‌حساب رسمی نیست.' });
    expect(receipt.parties[0]?.rows[0]).toEqual(['', 'gateway.test']);
    expect(invoiceText({ ...invoice, number: -1 }, 'en', address).title).toBe('Invoice (Sample)');
  });

  it.each(['fa', 'en'] as const)('keeps a long name and address on the sheet in %s', async (language) => {
    const { items } = await invoices().list({ accountId: 'buyer-2' }, { limit: 1 });
    const long = {
      name: 'شرکت پردازش داده‌های بسیار بزرگ خاورمیانه و شرکا (سهامی خاص) '.repeat(3).trim(),
      address: `${'تهران، خیابان ولیعصر، پلاک ۱۲، '.repeat(12)}${'x'.repeat(120)}`,
    };
    const invoice = { ...(items[0] as Invoice), buyer: { ...(items[0] as Invoice).buyer, ...long } };
    const folder = await mkdtemp(join(tmpdir(), 'dargah-invoice-'));
    const path = join(folder, 'long.pdf');
    await writeFile(path, await renderInvoicePdf(invoice, language, 'https://gateway.test/invoices/inv_1'));
    const { stdout } = await promisify(execFile)('pdftotext', ['-bbox', path, '-']);
    await rm(folder, { recursive: true });
    const edges = [...stdout.matchAll(/<word xMin="([\d.-]+)" yMin="[\d.-]+" xMax="([\d.-]+)" yMax="([\d.-]+)"/g)];
    expect(edges.length).toBeGreaterThan(100);
    for (const [, left, right, bottom] of edges) {
      expect(Number(left)).toBeGreaterThan(40);
      expect(Number(right)).toBeLessThan(A4.width - 40);
      expect(Number(bottom)).toBeLessThan(A4.height - 40);
    }
  });

  it('cuts a line where it is full, and keeps the direction of the whole', () => {
    const ofLength = (most: number) => (line: string) => line.replace(/[\u2066-\u2069]/g, '').length <= most;
    expect(wrappedLines('Name: ', 'aa bb cc', ofLength(11))).toEqual(['Name: \u2066aa bb\u2069', '\u2066cc\u2069']);
    expect(wrappedLines('', 'سلام 12 ab', ofLength(7))).toEqual(['\u2067سلام 12\u2069', '\u2067ab\u2069']);
    expect(wrappedLines('', 'abcdefgh', ofLength(3))).toEqual(['\u2066abc\u2069', '\u2066def\u2069', '\u2066gh\u2069']);
    expect(wrappedLines('x: ', '', ofLength(9))).toEqual(['x: \u2066\u2069']);
  });

  it('dates an invoice by the day in Tehran, in both calendars', () => {
    // Half past one in the night of 16 November there.
    expect(jalaliDate(new Date('2026-11-15T22:00:00Z'))).toEqual({
      year: 1405,
      text: '1405/08/25',
      gregorian: '2026-11-16',
    });
  });

  it('is drawn once for all who ask, and so many are drawn in a minute whoever asks', async () => {
    const { items } = await invoices().list({ accountId: 'buyer-2' }, { limit: 1 });
    const invoice = items[0] as Invoice;
    const time = new HandClock();
    let drawn = 0;
    let broken = true;
    const pdf = keptPdfs(time, async (_invoice, language, address) => {
      drawn++;
      if (broken) throw new Error('no font');
      return Buffer.from(`${language} ${address}`);
    });
    await expect(pdf(invoice, 'fa', 'https://a.test')).rejects.toThrow('no font');
    broken = false;
    for (let n = 0; n < 500; n++) expect(String(await pdf(invoice, 'fa', 'https://a.test'))).toBe('fa https://a.test');
    expect(drawn).toBe(2);
    // A stranger who asks under a thousand names gets sixty; what is kept is still given.
    const asked = await Promise.allSettled(
      Array.from({ length: 1_000 }, (_, n) => pdf(invoice, 'en', `https://${n}.test`)),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(58);
    expect(asked.at(-1)).toMatchObject({ reason: { code: 'rate_limited' } });
    expect(String(await pdf(invoice, 'fa', 'https://a.test'))).toBe('fa https://a.test');
    expect(drawn).toBe(60);
    time.advance(60_000);
    await pdf(invoice, 'en', 'https://later.test');
    expect(drawn).toBe(61);
  });
});
