/** The kinds of things of which an open page hears that they changed. */
export const CHANGED_THINGS = [
  'account',
  'alerts',
  'announcements',
  'catalog',
  'gateways',
  'gift_codes',
  'keys',
  'knowledge',
  'management_keys',
  'members',
  'notes',
  'notices',
  'operator_tokens',
  'orders',
  'settings',
  'staff',
  'staff_notices',
  'tickets',
  'usage',
  'wallet',
] as const;
export type ChangedThing = (typeof CHANGED_THINGS)[number];
