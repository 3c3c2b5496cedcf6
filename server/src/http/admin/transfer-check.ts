/** What the bank's statements say about a transfer, shown before staff confirm it. */
import * as routes from '@dargah/api/admin/payments.ts';
import { checkTransfer } from '../../accounting/index.ts';
import { money, toTomanText } from '../../core/money.ts';
import { noSuch } from '../../keys/index.ts';
import { homeDay } from '../../ledger/index.ts';
import type { Payments } from '../../payments/index.ts';
import type { Register } from '../routes/register.ts';

export function transferChecks(register: Register, payments: Payments): void {
  const { orders, transferReceipts, banks, db } = payments;
  register(routes.checkPayment, async ({ params, query }) => {
    const { id, gateway, amount, vat, createdAt, bank: known } = await orders.get(params.id);
    if (gateway !== 'bank-transfer') return noSuch('order', id);
    const receipt = (await transferReceipts.ofOrders([id])).get(id) ?? null;
    const bank = await banks.find(query.bank ?? known ?? undefined);
    const { warnings, lines, statementsTo } = await checkTransfer(db, {
      orderId: id,
      bank,
      amount: money(amount + vat),
      number: query.reference ?? receipt?.number ?? null,
      receipt,
      day: receipt?.paidOn ?? homeDay(createdAt.getTime()),
    });
    return {
      object: 'transfer_check' as const,
      bank,
      warnings,
      statements_to: statementsTo,
      lines: lines.map(({ settlementId, reference, day, amount: came, text, taken }) => ({
        settlement_id: settlementId,
        reference,
        day,
        amount: toTomanText(came),
        text,
        taken,
      })),
    };
  });
}
