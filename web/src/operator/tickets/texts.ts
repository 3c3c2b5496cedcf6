/** Tickets and the limits they ask for. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  category: 'موضوع',
  categories: { general: 'عمومی', payment: 'پرداخت', technical: 'فنی', limits: 'سقف‌ها', account: 'حساب' },
  assigned: 'مسئول',
  assignees: { me: 'خودم', nobody: 'بدون مسئول' },
  unread: 'خوانده‌نشده',
  wishWaits: 'درخواست افزایش سقف',
  waitingLongest: 'بیشترین انتظار',
  newest: 'جدیدترین',
  take: 'گرفتن تیکت',
  giveBack: 'رها کردن تیکت',
  approve: 'پذیرفتن و اعمال',
  decline: 'نپذیرفتن',
  answer: 'پاسخ',
  send: 'ارسال',
  sendClose: 'ارسال و بستن',
  attach: 'پیوست',
  attachHint: 'تا ۳ فایل، هر کدام تا ۳ مگابایت.',
  tooLarge: (name: string) => `«\u2068${name}\u2069» بزرگ‌تر از ۳ مگابایت است.`,
  wish: 'سقف خواسته‌شده',
  sides: { customer: 'مشتری', staff: 'پشتیبانی', system: 'سیستم' },
  /** What the system wrote into the conversation, by its name there. */
  said: {
    closed: 'تیکت بسته شد.',
    approved: 'سقف خواسته‌شده پذیرفته و اعمال شد.',
    declined: 'سقف خواسته‌شده پذیرفته نشد.',
  },
  noTickets: 'تیکتی نیست',
  noTicketsText: 'پیام‌های مشتریان اینجا می‌آید.',
  ticketStates: { open: 'باز', answered: 'منتظر مشتری', closed: 'بسته' },
  subject: 'موضوع',
};

const en: typeof fa = {
  category: 'Topic',
  categories: { general: 'General', payment: 'Payment', technical: 'Technical', limits: 'Limits', account: 'Account' },
  assigned: 'Taken by',
  assignees: { me: 'Me', nobody: 'Nobody' },
  unread: 'Unread',
  wishWaits: 'Wishes for limits',
  waitingLongest: 'Longest waiting',
  newest: 'Newest',
  take: 'Take the ticket',
  giveBack: 'Give it back',
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
  noTickets: 'No tickets',
  noTicketsText: 'Customers’ messages are listed here.',
  ticketStates: { open: 'Open', answered: 'Waiting for customer', closed: 'Closed' },
  subject: 'Subject',
};

export const useTicketTexts = dictionary(fa, en);
