/**
 * Sends the money of an order whose credit was taken back. Any process may continue it, and the one before may have
 * died at any step. A gateway that may be asked twice is asked until it answers; at any other, a call that may have
 * arrived is not repeated, and staff find out.
 */
import type { Clock } from '../core/clock.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import { whileRefundPending, whileRefundUnanswered } from './check-times.ts';
import type { PaymentGateway, RefundVerdict } from './gateway.ts';
import type { OpenRefund } from './open-refund.ts';
import * as refunds from './open-refund.ts';
import type { RefundState } from './order.ts';
import type { Papers } from './papers.ts';

export interface SendRefundOptions {
  db: Database;
  clock: Clock;
  log: Log;
  gatewayOf(id: string): Promise<PaymentGateway | undefined>;
  papers: Pick<Papers, 'refunded'>;
}

/** Called only by whoever holds the turn to ask about it. */
export async function sendRefund(options: SendRefundOptions, refund: OpenRefund, cause: string): Promise<void> {
  const call = (await options.gatewayOf(refund.order.gateway))?.refund;
  if (!call) return postpone(options, refund, { kind: 'unreachable', code: 'not-configured' }, cause);
  const interrupted = refunds.progressOf(refund).tries > 0;
  if (interrupted && !call.repeatable) return conclude(options, refund, { to: 'unknown', code: 'interrupted', cause });
  const begun = await refunds.beginTry(options.db, refund);
  if (!begun) return;
  const { id: orderId, externalId, reference } = begun.order;
  const verdict = await call.send({
    orderId,
    payable: refunds.payableOf(begun),
    externalId: externalId ?? '',
    reference: reference ?? '',
    refundId: refunds.nameOf(begun),
    again: interrupted,
  });
  if (verdict.kind === 'sent') return conclude(options, begun, { to: 'sent', reference: verdict.reference, cause });
  if (verdict.kind === 'refused') return conclude(options, begun, { to: 'refused', code: verdict.code, cause });
  if (verdict.kind === 'unreachable' && !call.repeatable)
    return conclude(options, begun, { to: 'unknown', code: verdict.code, cause });
  await postpone(options, begun, verdict, cause);
}

/** Asks again later, unless it has taken so long that staff must look. */
async function postpone(
  options: SendRefundOptions,
  refund: OpenRefund,
  verdict: Extract<RefundVerdict, { kind: 'pending' | 'unreachable' }>,
  cause: string,
): Promise<void> {
  const { db, clock, log } = options;
  const { order } = refund;
  const { tries, beganAt } = refunds.progressOf(refund);
  const ageMs = clock.now() - beganAt.getTime();
  const wait = verdict.kind === 'pending' ? whileRefundPending(ageMs) : whileRefundUnanswered(tries, ageMs);
  const code = verdict.kind === 'pending' ? 'pending' : verdict.code;
  const reference = verdict.kind === 'pending' ? verdict.reference : undefined;
  if (wait === null) return conclude(options, refund, { to: 'unknown', code, reference, cause });
  if (verdict.kind === 'unreachable')
    log.warn(
      { order: order.id, gateway: order.gateway, code },
      'a gateway did not answer about a refund; it is asked again',
    );
  await refunds.postponeRefund(db, refund, new Date(clock.now() + wait), { code, reference });
}

interface Conclusion {
  to: Exclude<RefundState, 'sending'>;
  cause: string;
  code?: string | undefined;
  reference?: string | undefined;
}

async function conclude(options: SendRefundOptions, refund: OpenRefund, { to, ...told }: Conclusion): Promise<void> {
  const { db, clock, log } = options;
  const { order } = refund;
  // A late answer counts even when another process has given up on the call.
  const from: RefundState[] = to === 'sent' ? ['sending', 'unknown'] : ['sending'];
  const moved = await db.transaction(async (tx) => {
    const ended = await refunds.moveRefund(db, refund, { from, to, at: new Date(clock.now()), ...told }, tx);
    if (ended && to === 'sent') await options.papers.refunded(tx, ended, told.cause);
    return ended;
  });
  const facts = { order: order.id, gateway: order.gateway, code: told.code };
  if (!moved && to === 'sent') log.error(facts, 'money was sent back for a refund that staff had settled otherwise');
  else if (moved && to !== 'sent')
    log.error(facts, 'a refund waits for staff: its credit is taken, its money perhaps not sent');
}
