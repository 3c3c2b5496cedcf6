/** Money in, wired to the ledger, the wire to gateways and the background. */
import type { Admission } from '../admission/index.ts';
import type { CatalogAdmin } from '../catalog/index.ts';
import { type Money, money, parseToman, toTomanText, ZERO } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { Notices } from '../notices/index.ts';
import { createPayments, GatewayReach, type Payments } from '../payments/index.ts';
import type { Foundation } from './foundation.ts';

export function openPayments(
  base: Foundation,
  admission: Pick<Admission, 'budgets'>,
  pricing: CatalogAdmin['pricing'],
  notices: Notices,
): { payments: Payments; reach: GatewayReach } {
  const reach = new GatewayReach(base.clock);
  const payments = createPayments({
    ...base.tools,
    log: base.log,
    sandboxAllowed: base.environment.sandboxes.has('bank'),
    transport: reach.watched(base.transport),
    dollarRate: () => dollarRate(pricing),
    availableOf: (accountId) => availableOf(admission, accountId),
    async onCredited(tx, { id, accountId, amount }) {
      const data = { order: id, amount: toTomanText(amount) };
      const link = `/console/wallet/orders/${id}`;
      await notices.raise({ accountId, event: 'payment.credited', occasion: id, data, link }, tx);
    },
    async onReceipt(tx, { id, amount, vat }) {
      const data = { order: id, amount: toTomanText(money(amount + vat)) };
      // Only the first report is news; a correction is not told again.
      const news = { event: 'payment.receipt' as const, occasion: id, data, link: `/operator/orders/${id}` };
      await notices.raise({ accountId: '', ...news }, tx);
    },
    async onChargeback({ id }, disputeId) {
      const news = { event: 'payment.chargeback' as const, occasion: `${id}:${disputeId}` };
      const data = { order: id, dispute: disputeId };
      await notices.raise({ accountId: '', ...news, data, link: '/operator/payments' });
    },
    async onUnknownPayment(gateway, payment) {
      const news = { event: 'payment.unknown' as const, occasion: `${gateway}:${payment}`, data: { gateway, payment } };
      await notices.raise({ accountId: '', ...news, link: '/operator/payments' });
    },
  });
  payments.start(base.background);
  return { payments, reach };
}

/** What a wallet can give now: its balance less what running requests hold. */
export async function availableOf(admission: Pick<Admission, 'budgets'>, accountId: string): Promise<Money> {
  const id = walletBudget(accountId);
  const state = (await admission.budgets([{ kind: 'budget', name: 'wallet', id, home: accountId, limit: ZERO }])).get(
    id,
  );
  return money(-(state?.posted ?? 0n) - (state?.held ?? 0n));
}

/** A rate with more than six decimals is cut, not refused: the rest is less than a micro-toman for a dollar. */
async function dollarRate(pricing: CatalogAdmin['pricing']): Promise<Money> {
  const { exchangeRate } = await pricing.terms();
  const [whole = '0', decimals = ''] = exchangeRate.split('.');
  return parseToman(`${whole}.${decimals.slice(0, 6) || '0'}`) ?? ZERO;
}
