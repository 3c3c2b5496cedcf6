/** Pages of paying: what became of an order, the play bank, and an invoice to print. They are rendered by the server, without script. */

import type { Text } from '@dargah/core/text.ts';
import { renderSVG } from 'uqr';
import { money, toTomanText } from '../../core/money.ts';
import { type Invoice, invoiceText, type Order, type SandboxPayment } from '../../payments/index.ts';
import { dateTimeText, moment } from '../pages/figures.ts';
import type { FramedPage } from '../pages/frame.ts';
import { html, Markup } from '../pages/markup.ts';
import type { PageVisit } from '../pages/visit.ts';

const TEXTS = {
  order: { fa: 'پرداخت', en: 'Payment' },
  amount: { fa: 'مبلغ شارژ', en: 'Top-up' },
  payable: { fa: 'پرداختی', en: 'Paid in all' },
  toman: { fa: 'تومان', en: 'toman' },
  rial: { fa: 'ریال', en: 'rial' },
  reference: { fa: 'شمارهٔ پیگیری', en: 'Reference' },
  vat: { fa: 'مالیات بر ارزش افزوده', en: 'VAT' },
  gateway: { fa: 'درگاه', en: 'Gateway' },
  card: { fa: 'کارت', en: 'Card' },
  at: { fa: 'زمان', en: 'Time' },
  invoice: { fa: 'صورت‌حساب', en: 'Invoice' },
  differs: {
    fa: 'آنچه پرداخت شده با این سفارش یکی نیست؛ چیزی به کیف پول افزوده نشد. با پشتیبانی در میان بگذارید.',
    en: 'What was paid differs from this order, and nothing was credited. Please write to support.',
  },
  sendingBack: {
    fa: 'بازگرداندن پول این پرداخت در دست انجام است.',
    en: 'The money of this payment is being sent back.',
  },
  id: { fa: 'شناسهٔ سفارش', en: 'Order' },
  wallet: { fa: 'رفتن به کیف پول', en: 'To the wallet' },
  bank: { fa: 'بانک آزمایشی', en: 'Sandbox bank' },
  bankLead: {
    fa: 'اینجا پولی جابه‌جا نمی‌شود. هر دکمه یک اتفاق درگاه واقعی را بازی می‌کند.',
    en: 'No money moves here. Each button plays something that happens at a real gateway.',
  },
  due: { fa: 'مبلغ پرداخت', en: 'To pay' },
  lines: { fa: 'ردیف‌ها', en: 'Lines' },
  print: { fa: 'دریافت پی‌دی‌اف', en: 'Download PDF' },
} satisfies Record<string, Text>;

const STATES: Record<Order['state'], Text> = {
  created: { fa: 'در حال شروع', en: 'Being begun' },
  sent: { fa: 'در انتظار پرداخت', en: 'Waiting for your payment' },
  returned: {
    fa: 'پرداخت هنوز تأیید نشده است؛ خودمان دوباره بررسی می‌کنیم.',
    en: 'Not confirmed yet; we keep asking the gateway.',
  },
  paid: { fa: 'پرداخت شد؛ در حال افزودن به کیف پول', en: 'Paid; being added to the wallet' },
  credited: { fa: 'کیف پول شارژ شد.', en: 'The wallet was topped up.' },
  failed: { fa: 'پرداخت انجام نشد و پولی از شما گرفته نشد.', en: 'The payment did not happen.' },
  expired: { fa: 'مهلت پرداخت گذشت.', en: 'The time to pay is over.' },
  refunded: { fa: 'این پرداخت برگردانده شده است.', en: 'This payment was refunded.' },
};

const BUTTONS: [play: string, text: Text][] = [
  ['pay', { fa: 'پرداخت', en: 'Pay' }],
  ['refuse', { fa: 'انصراف', en: 'Refuse' }],
  ['wait', { fa: 'بازگشت بدون پاسخ بانک', en: 'Come back while the bank still thinks' }],
  ['twice', { fa: 'پرداخت با دو بازگشت هم‌زمان', en: 'Pay and come back twice at once' }],
  ['close', { fa: 'پرداخت و بستن صفحه', en: 'Pay and close the tab' }],
];

const number = (value: string, { language }: PageVisit) =>
  new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en-US').format(value as unknown as bigint);

/** The tone of the line above an order: good is plain, waiting is marked, failure stands out. */
const TONES: Record<Order['state'], string> = {
  created: 'none',
  sent: 'none',
  returned: 'works',
  paid: 'works',
  credited: 'ok',
  failed: 'down',
  expired: 'partly',
  refunded: 'works',
};
const REFRESH_S = 5;

export interface ReceiptOf {
  order: Order;
  gateway: Text | undefined;
  /** Null until the invoice is issued. */
  invoiceId: string | null;
}

/** What became of an order; once it is credited, the receipt of the top-up. */
export function orderPage(visit: PageVisit, { order, gateway, invoiceId }: ReceiptOf): FramedPage {
  const { language } = visit;
  const say = (text: Text) => text[language];
  const headline = headlineOf(order);
  const boxed = (text: string) => html`<bdi class="id boxed" dir="ltr"><span>${text}</span></bdi>`;
  const isOpen = ['created', 'sent', 'returned', 'paid'].includes(order.state);
  const toman = (amount: Order['amount']) =>
    html`<bdi class="amt" dir="ltr">${number(toTomanText(amount), visit)}</bdi> <span class="unit">${say(TEXTS.toman)}</span>`;
  const facts: [Text, Markup][] = [
    [TEXTS.amount, toman(order.amount)],
    ...(order.vat > 0n ? [[TEXTS.vat, toman(order.vat)] satisfies [Text, Markup]] : []),
    [TEXTS.payable, toman(money(order.amount + order.vat))],
    [TEXTS.at, moment(order.updatedAt.getTime(), dateTimeText(order.updatedAt.getTime(), language))],
    [TEXTS.id, boxed(order.id)],
  ];
  if (gateway) facts.push([TEXTS.gateway, html`${say(gateway)}`]);
  if (order.reference !== null) facts.push([TEXTS.reference, boxed(order.reference)]);
  if (order.card !== null) facts.push([TEXTS.card, boxed(order.card)]);
  return {
    ...ofOnePerson(say(TEXTS.order)),
    refreshS: isOpen ? REFRESH_S : undefined,
    content: html`<div class="narrow-page stack"><h1 class="state state-${TONES[order.state]}">${say(headline)}</h1>
<section class="panel pad stack"><dl class="facts">${facts.map(([label, value]) => html`<dt>${say(label)}</dt><dd>${value}</dd>`)}</dl>
<p class="row"><a class="btn main" href="/console/wallet/orders/${order.id}">${say(TEXTS.wallet)}</a>${invoiceId === null ? undefined : html` <a class="btn" href="/invoices/${invoiceId}?lang=${language}">${say(TEXTS.invoice)}</a>`}</p></section></div>`,
  };
}

function headlineOf({ problem, refund, state }: Order): Text {
  if (problem?.startsWith('differs:')) return TEXTS.differs;
  return refund !== null && refund.state !== 'sent' ? TEXTS.sendingBack : STATES[state];
}

export function sandboxPage(visit: PageVisit, payment: SandboxPayment): FramedPage {
  const say = (text: Text) => text[visit.language];
  return {
    ...ofOnePerson(say(TEXTS.bank)),
    content: html`<div class="narrow-page stack"><div class="lede"><h1>${say(TEXTS.bank)}</h1><p>${say(TEXTS.bankLead)}</p></div>
<section class="panel"><div class="stat"><div class="stat-name">${say(TEXTS.due)}</div><div class="hero"><bdi class="amt" dir="ltr">${number(String(payment.units), visit)}</bdi> <span class="unit">${say(TEXTS.rial)}</span></div></div>
<div class="pad under bank-buttons">${BUTTONS.map(([play, text]) => html`<form method="post" action="/sandbox-bank/${payment.id}/${play}"><button class="btn${play === 'pay' ? ' main' : ''}" type="submit">${say(text)}</button></form>`)}</div></section></div>`,
  };
}

export function sandboxClosedPage({ language }: PageVisit): FramedPage {
  const text = {
    fa: 'پرداخت شد و این صفحه بازنمی‌گردد. آن را ببندید؛ کیف پول تا چند دقیقهٔ دیگر خودبه‌خود شارژ می‌شود.',
    en: 'Paid, and this page does not go back. Close it; the wallet is topped up by itself within minutes.',
  };
  return {
    ...ofOnePerson(TEXTS.bank[language]),
    content: html`<div class="narrow-page"><h1>${text[language]}</h1></div>`,
  };
}

export function invoicePage({ language }: PageVisit, invoice: Invoice, address: string): FramedPage {
  const text = invoiceText(invoice, language, address);
  const pair = ([label, value]: [string, string]) => html`<dt>${label}</dt><dd><bdi>${value}</bdi></dd>`;
  const sums = (cells: string[]) =>
    html`<tr><th scope="row" colspan="${text.head.length + 1 - cells.length}">${cells[0]}</th>${cells.slice(1).map((cell) => html`<td class="number"><bdi>${cell}</bdi></td>`)}</tr>`;
  const code = new Markup(renderSVG(address, { pixelSize: 3 }));
  const side = (index: number) => (index === 1 ? '' : 'number');
  return {
    ...ofOnePerson(text.title),
    content: html`<div class="invoice stack"><div class="row between"><h1>${text.title}</h1><a class="btn" href="/invoices/${invoice.id}/pdf?lang=${language}">${TEXTS.print[language]}</a></div>
${text.notOfficial === undefined ? undefined : html`<p class="mid">${text.notOfficial}</p>`}
<section class="panel pad" aria-label="${text.title}"><dl class="facts">${text.facts.map(pair)}</dl></section>
<div class="panel cut parties">${text.parties.map(({ title, rows }) => html`<section class="pad stack gap-s"><h2>${title}</h2><dl class="facts">${rows.map(pair)}</dl></section>`)}</div>
<section class="panel sideways" role="region" tabindex="0" aria-label="${TEXTS.lines[language]}"><table class="table"><thead><tr>${text.head.map((cell, index) => html`<th scope="col" class="${side(index)}">${cell}</th>`)}</tr></thead>
<tbody>${text.lines.map((cells) => html`<tr>${cells.map((cell, index) => html`<td class="${side(index)}"><bdi>${cell}</bdi></td>`)}</tr>`)}${text.sums.map(sums)}</tbody></table></section>
${text.words ? html`<p>${text.words[0]}: ${text.words[1]}</p>` : undefined}
<div class="row wide"><div class="qr">${code}</div><p class="xs mid">${text.scan}<br><a href="${address}"><bdi dir="ltr">${address}</bdi></a></p></div></div>`,
  };
}

/** Such a page is not for search engines and has no preview. */
function ofOnePerson(title: string): Pick<FramedPage, 'title' | 'description' | 'unlisted'> {
  return { title, description: title, unlisted: true };
}
