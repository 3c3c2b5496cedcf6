/**
 * The play bank: a page of our own that imitates a bank's, so that paying can be tried on a bare machine. Its payments
 * are in the database, because the page, the return and the reconciler may run on different replicas.
 */

import type { Clock } from '../../core/clock.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { inRial, wholeToman } from '../amounts.ts';
import type { PaymentGateway } from '../gateway.ts';
import { findSandboxPayment, INSERT_SANDBOX_PAYMENT } from './sandbox-rows.ts';

export interface SandboxBankOptions {
  db: Queryable;
  clock: Clock;
  randomBytes: RandomBytes;
  /** The origin of this service as the customer sees it. */
  pageOf(id: string): string;
}

export function createSandboxBank({ db, clock, randomBytes, pageOf }: SandboxBankOptions): PaymentGateway {
  return {
    id: 'sandbox',
    name: { fa: 'بانک آزمایشی', en: 'Sandbox bank' },
    offered: true,
    bringsMoney: true,
    minimum: wholeToman(1n),
    maximum: wholeToman(1_000_000_000n),
    timeoutMs: 60 * 60_000,
    payable: inRial,
    async begin({ orderId, payable, returnUrl, language }) {
      const nowMs = clock.now();
      const id = makeId('play', nowMs, randomBytes);
      await INSERT_SANDBOX_PAYMENT.run(db, [id, String(payable.units), returnUrl, orderId, language, new Date(nowMs)]);
      return { externalId: id, redirectUrl: pageOf(id) };
    },
    readReturn: (fields) => fields.get('payment'),
    async verify({ externalId, orderId, payable }) {
      const payment = await findSandboxPayment(db, externalId);
      if (!payment) return { kind: 'unpaid', code: 'unknown', final: true };
      if (payment.state === 'refused') return { kind: 'unpaid', code: 'refused', final: false };
      if (payment.state === 'waiting') return { kind: 'pending' };
      if (payment.units !== payable.units || payment.orderId !== orderId) return { kind: 'mismatch', code: 'amount' };
      return { kind: 'paid', reference: `R${externalId.slice(-8)}`, card: '6037-99**-****-0000' };
    },
    refund: { repeatable: true, send: async ({ refundId }) => ({ kind: 'sent', reference: refundId }) },
  };
}
