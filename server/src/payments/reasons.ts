/** Reasons for refusals about orders, refunds and invoices, in both languages. */
import type { Text } from '@dargah/core/text.ts';

export const paymentReasons = {
  giftCodeNotUsable: {
    fa: 'این کد نادرست است، قبلاً استفاده شده یا مهلتش گذشته است.',
    en: 'This code is wrong, was used or has expired.',
  },
  alreadyOver: { fa: 'مهلت باید در آینده باشد.', en: 'It must end in the future.' },
  wrongNumber: (persian: string, english: string): Text => ({
    fa: `${persian} درست نیست؛ رقم‌ها را بررسی کنید.`,
    en: `This is no valid ${english}; check its digits.`,
  }),
  /** The lowest and the highest amount, in the digits of each language. */
  amountOutOfBounds: (persian: readonly string[], english: readonly string[]): Text => ({
    fa: `مبلغ باید عددی درست از ${persian.join(' تا ')} تومان باشد.`,
    en: `The amount must be whole toman, ${english.join('–')}.`,
  }),
  gatewayUnavailable: (id: string): Text => ({
    fa: `درگاه «${id}» در دسترس نیست.`,
    en: `The gateway '${id}' is not available.`,
  }),
  noSandboxBank: {
    fa: 'بانک آزمایشی پول واقعی نمی‌گیرد و در محیط عملیاتی نیست، مگر «DARGAH_SANDBOX» آن را نام ببرد.',
    en: 'The sandbox bank takes no money: in production it is not there unless DARGAH_SANDBOX names it.',
  },
  notInHundredths: {
    fa: 'باید کد سه‌حرفی ارزی باشد که صدم دارد، مانند دلار آمریکا یا یورو.',
    en: 'Must be the code of a currency that is counted in hundredths, such as usd or eur.',
  },
  secretsAgain: {
    fa: 'کلیدهای محرمانه برای آدرس قبلی داده شده‌اند؛ با آدرس جدید دوباره واردشان کنید.',
    en: 'The secrets were given for the former address; enter them again with the new one.',
  },
  notBegun: (code: string): Text => ({
    fa: `درگاه پرداخت را شروع نکرد («${code}»). پولی جابه‌جا نشد؛ کمی بعد دوباره تلاش کنید.`,
    en: `The gateway did not begin the payment (${code}). No money moved; retry shortly.`,
  }),
  onlyTransfers: { fa: 'فقط انتقال بانکی دستی تأیید می‌شود.', en: 'Only bank transfers are confirmed by hand.' },
  onlyTransfersRejected: {
    fa: 'فقط انتقال بانکی دستی رد می‌شود.',
    en: 'Only bank transfers are rejected by hand.',
  },
  noReceiptTaken: {
    fa: 'فقط سفارشِ انتقال بانکی رسید واریز می‌گیرد.',
    en: 'Only an order by bank transfer takes a receipt.',
  },
  receiptTooOften: {
    fa: 'رسید این سفارش چند بار تغییر کرده است؛ برای تغییر دوباره به پشتیبانی پیام دهید.',
    en: 'The receipt of this order was changed several times; write to support to change it again.',
  },
  wrongTransferNumber: {
    fa: 'شمارهٔ پیگیری ۴ تا ۴۰ رقم یا حرف است؛ آن را از رسید بانک بردارید.',
    en: 'The tracking number has 4 to 40 digits or letters; copy it from the receipt of the bank.',
  },
  wrongPayer: {
    fa: 'شمارهٔ کارت (۱۶ رقم) یا شبا (IR و ۲۴ رقم) درست نیست؛ رقم‌ها را بررسی کنید.',
    en: 'This is neither a card number (16 digits) nor an IBAN (IR and 24 digits); check its digits.',
  },
  wholeTomanOnly: {
    fa: 'مبلغ رسید باید عددی درست به تومان و بیش از صفر باشد.',
    en: 'The amount of a receipt must be whole toman above zero.',
  },
  transferUsed: {
    fa: 'با این شماره قبلاً سفارش دیگری تأیید شده است؛ هر واریز فقط یک سفارش را می‌پردازد.',
    en: 'Another order was confirmed with this number; a transfer pays for one order.',
  },
  alreadyEnded: (state: string): Text => ({
    fa: `این سفارش قبلاً به پایان رسیده است (${state}).`,
    en: `This order has ended (${state}).`,
  }),
  notCredited: {
    fa: 'فقط سفارشی که به کیف پول رسیده و برنگشته است برگردانده می‌شود.',
    en: 'Only an order that was credited and not refunded can be refunded.',
  },
  onlyByHand: {
    fa: 'این درگاه بازپرداخت خودکار ندارد؛ پول را خودتان بفرستید و «با دست فرستاده شد» را روشن کنید.',
    en: 'This gateway cannot send money back; send it by hand and set by_hand.',
  },
  creditSpent: (missing: string): Text => ({
    fa: `بخشی از این اعتبار خرج شده یا در دست خرج است؛ ${missing} تومان کم است.`,
    en: `Part of this credit is spent or being spent; ${missing} toman are missing.`,
  }),
  noMoneyCame: {
    fa: 'این اعتبار با کد هدیه آمده و پولی برای برگرداندن نیست؛ اعتبار را با «اصلاح» کم کنید.',
    en: 'This credit came by a gift code: there is no money to send back. Take the credit by an adjustment.',
  },
  partTooSmall: {
    fa: 'این مبلغ از کوچک‌ترین واحد درگاه کمتر است.',
    en: 'This is less than the smallest unit that the gateway sends.',
  },
  olderVersionRuns: {
    fa: 'هنوز پروسهی از نسخهٔ قبلی روشن است؛ بازپرداخت بخشی از مبلغ پس از خاموش شدن آن ممکن می‌شود.',
    en: 'A process of the version before is still running; refunds in part are possible once it has ended.',
  },
  wrongIban: {
    fa: 'شمارهٔ شبا درست نیست؛ رقم‌ها را بررسی کنید.',
    en: 'This is no valid IBAN; check its digits.',
  },
  noSuchBank: (id: string): Text => ({
    fa: `حساب بانکی «${id}» تعریف نشده است.`,
    en: `There is no bank account '${id}'.`,
  }),
  bankTwice: {
    fa: 'هر حساب بانکی باید شناسهٔ خودش را داشته باشد.',
    en: 'Every bank account needs an id of its own.',
  },
  bankInUse: (id: string): Text => ({
    fa: `حساب بانکی «${id}» در دفترها گردش دارد و حذف نمی‌شود.`,
    en: `The bank account '${id}' has entries in the books and cannot be removed.`,
  }),
  disputed: {
    fa: 'دارندهٔ کارت این پرداخت را از طریق بانک برگشت زده است؛ پول آن دوباره برگردانده نمی‌شود.',
    en: 'The card holder took this payment back through the bank; its money is not sent back as well.',
  },
  creditDisputed: {
    fa: 'دارندهٔ کارت این پرداخت را از طریق بانک برگشت زده است و اعتبارش برگردانده نمی‌شود. تا پایان اعتراض صبر کنید: اگر به سود شما نبود، بازپرداخت را «فرستاده شد» ثبت کنید.',
    en: 'The card holder took this payment back through the bank; its credit is not given back. Wait for the dispute to end; if it is lost, settle the refund as sent.',
  },
  nothingToSettle: {
    fa: 'فقط بازپرداختی که درگاه نپذیرفته یا سرانجامش روشن نیست با دست به پایان می‌رسد.',
    en: 'Only a refund that was refused or whose end is unknown is settled by hand.',
  },
} as const;
