/** Pages of paying: what became of an order, the play bank, and an invoice to print. Server-rendered, no script. */
import { renderSVG } from 'uqr';
import type { Text } from '../../core/errors.ts';
import { money, toTomanText } from '../../core/money.ts';
import { type Invoice, invoiceText, type Order, type SandboxPayment } from '../../payments/index.ts';
import { layout, type PageRequest } from '../pages/layout.ts';
import { html, Markup } from '../pages/markup.ts';

const WORDS = {
  order: { fa: 'پرداخت', en: 'Payment' },
  amount: { fa: 'مبلغ شارژ', en: 'Top-up' },
  payable: { fa: 'پرداختی', en: 'Paid in all' },
  toman: { fa: 'تومان', en: 'toman' },
  rial: { fa: 'ریال', en: 'rial' },
  reference: { fa: 'شمارهٔ پیگیری', en: 'Reference' },
  id: { fa: 'شناسهٔ سفارش', en: 'Order' },
  wallet: { fa: 'رفتن به کیف پول', en: 'To the wallet' },
  bank: { fa: 'بانک آزمایشی', en: 'Sandbox bank' },
  bankLead: {
    fa: 'اینجا پولی جابه‌جا نمی‌شود. هر دکمه یک اتفاق درگاه واقعی را بازی می‌کند.',
    en: 'No money moves here. Each button plays something that happens at a real gateway.',
  },
  print: { fa: 'دریافت پی‌دی‌اف', en: 'Download PDF' },
} satisfies Record<string, Text>;

const STATES: Record<Order['state'], Text> = {
  created: { fa: 'در حال آغاز', en: 'Being begun' },
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

const number = (value: string, { language }: PageRequest) =>
  new Intl.NumberFormat(language === 'fa' ? 'fa-IR' : 'en-US').format(value as unknown as bigint);

export function orderPage(request: PageRequest, order: Order): Markup {
  const { language } = request;
  const say = (text: Text) => text[language];
  const open = ['created', 'sent', 'returned', 'paid'].includes(order.state);
  const toman = (amount: Order['amount']) =>
    html`<bdi>${number(toTomanText(amount), request)}</bdi> ${say(WORDS.toman)}`;
  const facts: [Text, Markup][] = [
    [WORDS.amount, toman(order.amount)],
    [WORDS.payable, toman(money(order.amount + order.vat))],
    [WORDS.id, html`<code>${order.id}</code>`],
  ];
  if (order.reference !== null) facts.push([WORDS.reference, html`<code>${order.reference}</code>`]);
  return layout(
    request,
    `/pay/orders/${order.id}`,
    say(WORDS.order),
    html`${open ? html`<meta http-equiv="refresh" content="5">` : undefined}<h1>${say(STATES[order.state])}</h1>
<table><tbody>${facts.map(([label, value]) => html`<tr><th>${say(label)}</th><td>${value}</td></tr>`)}</tbody></table>
<p><a href="/console/wallet?order=${order.id}">${say(WORDS.wallet)}</a></p>`,
  );
}

export function sandboxPage(request: PageRequest, payment: SandboxPayment): Markup {
  const say = (text: Text) => text[request.language];
  return layout(
    request,
    `/sandbox-bank/${payment.id}`,
    say(WORDS.bank),
    html`<h1>${say(WORDS.bank)}</h1><p class="lead">${say(WORDS.bankLead)}</p>
<p><strong><bdi>${number(String(payment.units), request)}</bdi> ${say(WORDS.rial)}</strong></p>
${BUTTONS.map(([play, text]) => html`<form method="post" action="/sandbox-bank/${payment.id}/${play}"><button type="submit">${say(text)}</button></form>`)}`,
  );
}

export function sandboxClosedPage(request: PageRequest): Markup {
  const text = {
    fa: 'پرداخت شد و این صفحه بازنمی‌گردد. آن را ببندید؛ کیف پول تا چند دقیقهٔ دیگر خودبه‌خود شارژ می‌شود.',
    en: 'Paid, and this page does not go back. Close it; the wallet is topped up by itself within minutes.',
  };
  return layout(request, '/sandbox-bank', WORDS.bank[request.language], html`<h1>${text[request.language]}</h1>`);
}

export function invoicePage(request: PageRequest, invoice: Invoice, address: string): Markup {
  const text = invoiceText(invoice, request.language);
  const pair = ([label, value]: [string, string]) => html`<tr><th>${label}</th><td><bdi>${value}</bdi></td></tr>`;
  const sums = (cells: string[]) =>
    html`<tr><th colspan="2">${cells[0]}</th>${cells.slice(1).map((cell) => html`<td class="number"><bdi>${cell}</bdi></td>`)}</tr>`;
  const code = new Markup(renderSVG(address, { pixelSize: 3 }));
  return layout(
    request,
    `/invoices/${invoice.id}`,
    text.title,
    html`<h1>${text.title}</h1><table><tbody>${text.facts.map(pair)}</tbody></table>
${text.parties.map(({ title, rows }) => html`<h2>${title}</h2><table><tbody>${rows.map(pair)}</tbody></table>`)}
<div class="scroll"><table><thead><tr>${text.head.map((cell, index) => html`<th class="${index === 0 ? '' : 'number'}">${cell}</th>`)}</tr></thead>
<tbody>${text.lines.map((cells) => html`<tr>${cells.map((cell, index) => html`<td class="${index === 0 ? '' : 'number'}"><bdi>${cell}</bdi></td>`)}</tr>`)}${text.sums.map(sums)}</tbody></table></div>
${text.words ? html`<p>${text.words[0]}: ${text.words[1]}</p>` : undefined}
<p>${text.scan}: <a href="${address}"><bdi>${address}</bdi></a></p><div class="qr">${code}</div>
<p><a href="/invoices/${invoice.id}/pdf?lang=${request.language}">${WORDS.print[request.language]}</a></p>`,
  );
}
