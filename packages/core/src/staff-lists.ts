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
