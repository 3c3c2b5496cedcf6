import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  lead: 'هزینه‌های هر روز و کلید یک سطر است و به درخواست‌هایش باز می‌شود.',
  kind: 'بابت',
  key: 'کلید',
  day: 'روز',
  amount: 'مبلغ، تومان',
  balance: 'مانده، تومان',
  requests: (count: string) => `${count} درخواست`,
  noName: 'کلید حذف‌شده',
  from: 'از روز',
  to: 'تا روز',
  nothing: 'با این فیلتر گردشی نیست',
  nothingText: 'بازهٔ روزها یا نوع گردش را تغییر دهید.',
  empty: 'هنوز گردشی نیست',
  emptyText: 'شارژها و هزینهٔ هر روز اینجا می‌آیند، با مانده پس از هر سطر.',
  open: 'باز کردن درخواست‌ها',
  close: 'بستن درخواست‌ها',
  gone: 'جزئیات درخواست‌های این روز دیگر نگه داشته نمی‌شود؛ جمع آن می‌ماند.',
  order: 'سفارش',
};

const en: typeof fa = {
  lead: 'The charges of a day and key are one line, which opens to its requests.',
  kind: 'For',
  key: 'Key',
  day: 'Day',
  amount: 'Amount, toman',
  balance: 'Balance, toman',
  requests: (count) => (count === '1' ? '1 request' : `${count} requests`),
  noName: 'deleted key',
  from: 'From',
  to: 'To',
  nothing: 'Nothing moved with this filter',
  nothingText: 'Change the days or the kind.',
  empty: 'No transactions yet',
  emptyText: 'Top-ups and the charges of each day are listed here, with the balance after each line.',
  open: 'Open its requests',
  close: 'Close its requests',
  gone: 'The requests of this day are no longer kept one by one; their sum stays.',
  order: 'Order',
};

export const useMovementTexts = dictionary(fa, en);
