/**
 * Payments that a gateway reports as made and not verified. Those of our orders are checked at once, also where
 * checking had ended. One that came from us and has no order, as after the database was restored from a backup, is a
 * case for staff.
 */
import type { Clock } from '../core/clock.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import { type PaymentGateway, PaymentUnreachable, type UnverifiedPayment } from './gateway.ts';
import type { GatewayDirectory } from './gateway-directory.ts';
import { wakeOrdersOf } from './order-check-rows.ts';

export interface UnverifiedOptions {
  db: Database;
  clock: Clock;
  log: Log;
  gateways: Pick<GatewayDirectory, 'list' | 'evenIfOff'>;
  /** Called every time such a payment is found; the listener tells staff once. */
  onUnknown(gateway: string, externalId: string): Promise<void>;
}

export async function wakeUnverified(options: UnverifiedOptions): Promise<void> {
  const { db, clock, gateways, onUnknown } = options;
  for (const { id } of await gateways.list()) {
    const gateway = await gateways.evenIfOff(id);
    const listed = gateway?.unverified && (await listOf(gateway, options.log));
    if (!listed || listed.length === 0) continue;
    const ids = listed.map(({ externalId }) => externalId);
    const known = new Set(await wakeOrdersOf(db, id, ids, new Date(clock.now())));
    for (const payment of listed)
      if (!known.has(payment.externalId) && cameFromUs(id, payment)) await onUnknown(id, payment.externalId);
  }
}

/** A list that cannot be read is only logged, because it is read again in a few minutes. */
async function listOf(gateway: PaymentGateway, log: Log): Promise<UnverifiedPayment[]> {
  try {
    return (await gateway.unverified?.()) ?? [];
  } catch (error) {
    if (!(error instanceof PaymentUnreachable)) throw error;
    log.warn({ gateway: gateway.id, code: error.code }, 'a gateway did not list its unverified payments');
    return [];
  }
}

/** A merchant may have other shops, whose payments do not concern us. */
function cameFromUs(gatewayId: string, { returnUrl }: UnverifiedPayment): boolean {
  return URL.canParse(returnUrl) && new URL(returnUrl).pathname === `/pay/${gatewayId}/return`;
}
