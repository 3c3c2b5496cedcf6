/** Lists of many rows that staff filter, save views of and export. */
export const STAFF_LISTS = [
  'accounts',
  'audit_log',
  'invoices',
  'orders',
  'people',
  'requests',
  'tickets',
  'transfers',
] as const;

export type StaffList = (typeof STAFF_LISTS)[number];

/** The names of the lists inside sentences to people. */
export const LIST_NAMES: Readonly<Record<StaffList, { fa: string; en: string }>> = {
  accounts: { fa: 'حساب‌ها', en: 'accounts' },
  audit_log: { fa: 'تاریخچهٔ تغییرات', en: 'the audit log' },
  invoices: { fa: 'صورت‌حساب‌ها', en: 'invoices' },
  orders: { fa: 'سفارش‌ها', en: 'orders' },
  people: { fa: 'افراد', en: 'people' },
  requests: { fa: 'درخواست‌ها', en: 'requests' },
  tickets: { fa: 'تیکت‌ها', en: 'tickets' },
  transfers: { fa: 'گردش حساب', en: 'transfers' },
};
