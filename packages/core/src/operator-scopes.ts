/**
 * What an operator token can be allowed to do. Every route of the operator API says which scope opens it; one that says none is
 * closed to all named tokens. Plain data: the web imports it as it is.
 */
export const OPERATOR_SCOPES = [
  /** Everything that staff of every role may read; none of it is secret. */
  'read',
  /** Models, routes, groups, prices, margins and rates. */
  'catalog',
  /** Providers, their addresses and their credentials. */
  'providers',
  /** Accounts, their keys and their knowledge bases. */
  'accounts',
  /** Credit without a payment: transfers by hand and gift codes. */
  'credit',
  /** Orders: making, confirming and refunding them. */
  'payments',
  /** Tickets, announcements, incidents. */
  'support',
  /** Branding and replicas. */
  'service',
] as const;
export type OperatorScope = (typeof OPERATOR_SCOPES)[number];
