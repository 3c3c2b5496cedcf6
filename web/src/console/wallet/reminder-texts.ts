import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  title: 'یادآوری شارژ',
  lead: 'وقتی موجودی از مبلغی که انتخاب می‌کنید کمتر شود، یک بار با لینک پرداخت خبر می‌دهیم. پس از شارژ تا بالای آن، دوباره فعال می‌شود.',
  on: 'با لینک پرداخت یادآوری کن',
  below: 'وقتی موجودی کمتر شد از',
  amount: 'مبلغ لینک پرداخت',
  channels: 'خبر از راه',
  names: { console: 'پنل', email: 'ایمیل', sms: 'پیامک', webhook: 'وب‌هوک' },
};

const en: typeof fa = {
  title: 'Reminder to top up',
  lead: 'When the balance falls below an amount that you choose, you are told once, with a payment link. Topping up above it arms the reminder again.',
  on: 'Remind me with a payment link',
  below: 'When the balance falls below',
  amount: 'Amount of the payment link',
  channels: 'Tell me by',
  names: { console: 'Console', email: 'E-mail', sms: 'SMS', webhook: 'Webhook' },
};

export const useReminderTexts = dictionary(fa, en);
