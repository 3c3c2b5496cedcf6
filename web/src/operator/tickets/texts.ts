/** Tickets and the limits they ask for. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  approve: 'پذیرفتن و برقرار کردن',
  decline: 'نپذیرفتن',
  answer: 'پاسخ',
  send: 'فرستادن',
  sendClose: 'فرستادن و بستن',
  attach: 'پیوست',
  attachHint: 'تا ۳ پرونده، هر کدام تا ۳ مگابایت.',
  tooLarge: (name: string) => `«\u2068${name}\u2069» بزرگ‌تر از ۳ مگابایت است.`,
  wish: 'سقف خواسته‌شده',
  sides: { customer: 'مشتری', staff: 'پشتیبانی', system: 'سامانه' },
  /** What the system wrote into the conversation, by its name there. */
  said: {
    closed: 'تیکت بسته شد.',
    approved: 'سقف خواسته‌شده پذیرفته و برقرار شد.',
    declined: 'سقف خواسته‌شده پذیرفته نشد.',
  },
  noTickets: 'تیکتی نیست',
  noTicketsText: 'پیام‌های مشتریان اینجا می‌آید.',
  ticketStates: { open: 'باز', answered: 'منتظر مشتری', closed: 'بسته' },
  subject: 'موضوع',
};

const en: typeof fa = {
  approve: 'Approve and apply',
  decline: 'Decline',
  answer: 'Answer',
  send: 'Send',
  sendClose: 'Send and close',
  attach: 'Attach',
  attachHint: 'Up to 3 files, 3 MB each.',
  tooLarge: (name) => `“${name}” is larger than 3 MB.`,
  wish: 'Limit asked for',
  sides: { customer: 'Customer', staff: 'Support', system: 'System' },
  said: {
    closed: 'The ticket was closed.',
    approved: 'The limit asked for was approved and is in force.',
    declined: 'The limit asked for was declined.',
  },
  noTickets: 'No ticket',
  noTicketsText: 'Messages of customers come here.',
  ticketStates: { open: 'Open', answered: 'Waiting for customer', closed: 'Closed' },
  subject: 'Subject',
};

export const useTicketTexts = dictionary(fa, en);
