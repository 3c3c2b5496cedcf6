/**
 * The play bank: a page of our own that plays a bank's, so that a bare machine can try paying. It keeps its payments in the
 * database, since the page, the return and the reconciler may meet it on different replicas.
 */
import type { Clock } from '../../core/clock.ts';
import { makeId, type RandomBytes } from '../../core/ids.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { inRial, wholeToman } from '../amounts.ts';
import type { PaymentGateway } from '../gateway.ts';

export interface SandboxPayment {
  id: string;
  units: bigint;
  returnUrl: string;
  orderId: string;
  state: 'waiting' | 'paid' | 'refused';
  language: 'fa' | 'en';
}

interface Row {
  id: string;
  units: string;
  return_url: string;
  order_id: string;
  state: SandboxPayment['state'];
  language: string;
}

export interface SandboxBankOptions {
  db: Queryable;
  clock: Clock;
  randomBytes: RandomBytes;
  /** Origin of this service as the customer sees it. */
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
      await db.query(
        `insert into sandbox_payment (id, units, return_url, order_id, state, language, created_at)
         values ($1, $2, $3, $4, 'waiting', $5, $6)`,
        [id, String(payable.units), returnUrl, orderId, language, new Date(nowMs)],
      );
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

export async function findSandboxPayment(db: Queryable, id: string): Promise<SandboxPayment | undefined> {
  const [row] = await db.query<Row>(
    'select id, units::text as units, return_url, order_id, state, language from sandbox_payment where id = $1',
    [id],
  );
  if (!row) return undefined;
  const { id: found, units, return_url: returnUrl, order_id: orderId, state, language } = row;
  return { id: found, units: BigInt(units), returnUrl, orderId, state, language: language === 'en' ? 'en' : 'fa' };
}

/** What the page's buttons do. A paid payment stays paid. */
export async function playSandboxPayment(db: Queryable, id: string, state: 'paid' | 'refused'): Promise<void> {
  await db.query(`update sandbox_payment set state = $2 where id = $1 and state <> 'paid'`, [id, state]);
}
