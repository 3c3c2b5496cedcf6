/** A gateway in memory whose payments, answers and silences a test decides. It keeps the truth the orders are compared with. */
import { inRial, wholeToman } from '../../src/payments/amounts.ts';
import {
  type PaymentGateway,
  PaymentUnreachable,
  type PaymentVerdict,
  type RefundToSend,
  type RefundVerdict,
} from '../../src/payments/gateway.ts';

export interface ScriptedPayment {
  orderId: string;
  units: bigint;
  paid: 'no' | 'right' | 'other-amount';
  /** This bank sends it back when it is asked. */
  refundable?: boolean;
}

export class ScriptedGateway {
  readonly payments = new Map<string, ScriptedPayment>();
  /** Called before each answer; may throw, as a process that dies would. */
  before: () => 'answer' | 'silence' = () => 'answer';
  /** Called when a refund was sent and before the answer; may throw as well. */
  after: () => 'answer' | 'silence' = () => 'answer';
  verified = 0;
  /** Every time that money left for a customer: the refund's id. */
  readonly sentBack: string[] = [];
  readonly port: PaymentGateway;

  /** A gateway that does not know a repeated refund sends the money again. */
  constructor(id: string, knowsRepeated = true) {
    this.port = {
      id,
      name: { fa: id, en: id },
      offered: true,
      bringsMoney: true,
      minimum: wholeToman(1n),
      maximum: wholeToman(1_000_000_000n),
      timeoutMs: 3_600_000,
      payable: inRial,
      begin: async ({ orderId, payable }) => {
        if (this.before() === 'silence') throw new PaymentUnreachable(id, 'scripted');
        const externalId = `${id}-${this.payments.size + 1}`;
        this.payments.set(externalId, { orderId, units: payable.units, paid: 'no' });
        return { externalId, redirectUrl: `https://bank.test/${externalId}` };
      },
      readReturn: (fields) => fields.get('payment'),
      verify: async ({ externalId, payable }) => this.#verify(externalId, payable.units),
      refund: { repeatable: knowsRepeated, send: async (refund) => this.#sendBack(refund, knowsRepeated) },
    };
  }

  #verify(externalId: string, units: bigint): PaymentVerdict {
    if (this.before() === 'silence') return { kind: 'unreachable', code: 'scripted' };
    this.verified++;
    const payment = this.payments.get(externalId);
    if (!payment) return { kind: 'unpaid', code: 'unknown', final: true };
    if (payment.paid === 'no') return { kind: 'unpaid', code: 'no', final: false };
    if (payment.paid === 'other-amount' || payment.units !== units) return { kind: 'mismatch', code: 'amount' };
    return { kind: 'paid', reference: `ref-${externalId}` };
  }

  #sendBack({ externalId, refundId }: RefundToSend, knowsRepeated: boolean): RefundVerdict {
    if (this.before() === 'silence') return { kind: 'unreachable', code: 'scripted' };
    if (this.payments.get(externalId)?.refundable === false) return { kind: 'refused', code: 'scripted' };
    if (!knowsRepeated || !this.sentBack.includes(refundId)) this.sentBack.push(refundId);
    return this.after() === 'silence'
      ? { kind: 'unreachable', code: 'scripted' }
      : { kind: 'sent', reference: `back-${refundId}` };
  }
}
