/** Payments, gateways and gift codes. */
import { dictionary } from '../words/dictionary.tsx';

const fa = {
  verify: 'پرسیدن دوباره',
  refund: 'بازگرداندن',
  confirm: 'تأیید واریز',
  reference: 'شمارهٔ پیگیری بانک',
  secretNames: {
    merchant_id: 'شناسهٔ پذیرنده',
    merchant: 'کد پذیرنده',
    secret_key: 'کلید محرمانه',
    webhook_secret: 'راز وب‌هوک',
  },
  gateways: 'درگاه‌ها',
  gateway: 'درگاه',
  giftCodes: 'کدهای هدیه',
  make: 'ساختن',
  codesOnce: 'این کدها فقط همین یک بار نشان داده می‌شوند.',
  noPayments: 'سفارشی نیست',
  noPaymentsText: 'شارژهای مشتریان اینجا می‌آید.',
  orderStates: {
    created: 'ساخته شد',
    sent: 'در درگاه',
    returned: 'در حال بررسی',
    paid: 'پرداخت شد',
    credited: 'به کیف پول رسید',
    failed: 'انجام نشد',
    expired: 'زمانش گذشت',
    refunded: 'برگردانده شد',
  },
  yes: 'بله',
};

const en: typeof fa = {
  verify: 'Ask again',
  refund: 'Refund',
  confirm: 'Confirm transfer',
  reference: 'Number of the bank',
  secretNames: {
    merchant_id: 'Merchant id',
    merchant: 'Merchant code',
    secret_key: 'Secret key',
    webhook_secret: 'Webhook secret',
  },
  gateways: 'Gateways',
  gateway: 'Gateway',
  giftCodes: 'Gift codes',
  make: 'Make',
  codesOnce: 'These codes are shown only this once.',
  noPayments: 'No order',
  noPaymentsText: 'Top-ups of customers come here.',
  orderStates: {
    created: 'Created',
    sent: 'At the gateway',
    returned: 'Being checked',
    paid: 'Paid',
    credited: 'In the wallet',
    failed: 'Failed',
    expired: 'Expired',
    refunded: 'Refunded',
  },
  yes: 'Yes',
};

export const usePaymentWords = dictionary(fa, en);
