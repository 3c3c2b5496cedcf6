/** Payments that no server can be asked about: a bank transfer that staff confirm, and gift codes, paid before they begin. */

import type { Money } from '../../core/money.ts';
import { DAY_MS } from '../../core/time-spans.ts';
import { inToman, wholeToman } from '../amounts.ts';
import { type PaymentGateway, PaymentRefused } from '../gateway.ts';

export function createBankTransfer({ instructions }: { instructions: string }): PaymentGateway {
  return {
    id: 'bank-transfer',
    name: { fa: 'انتقال بانکی', en: 'Bank transfer' },
    offered: true,
    bringsMoney: true,
    minimum: wholeToman(10_000n),
    maximum: wholeToman(10_000_000_000n),
    timeoutMs: 30 * DAY_MS,
    instructions,
    payable: inToman,
    begin: async ({ orderId }) => ({ externalId: orderId, redirectUrl: null }),
    readReturn: () => undefined,
    verify: async () => ({ kind: 'pending' }),
  };
}

export function createGiftCodeGateway(): PaymentGateway {
  return {
    id: 'gift-code',
    name: { fa: 'کد هدیه', en: 'Gift code' },
    offered: false,
    bringsMoney: false,
    minimum: wholeToman(1n),
    maximum: wholeToman(10_000_000_000n),
    timeoutMs: DAY_MS,
    payable: (amount: Money) => inToman(amount),
    begin: async () => {
      throw new PaymentRefused('gift-code', 'redeemed-instead');
    },
    readReturn: () => undefined,
    verify: async () => ({ kind: 'pending' }),
  };
}
