/** What the parts of an order's page share. */
import type { getOwnOrder } from '@dargah/api/console/payments.ts';
import type { Result } from '../../api/call.ts';

export type OwnOrder = Result<typeof getOwnOrder>;
export const ORDER_STALE = [
  'GET /api/console/wallet',
  'GET /api/console/wallet/orders',
  'GET /api/console/wallet/orders/:id',
];
