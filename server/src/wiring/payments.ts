/** Money in, wired to the ledger, the wire to gateways and the background. */
import type { Admission } from '../admission/index.ts';
import type { ConfigFile } from '../config/index.ts';
import { DEFAULT_TERMS } from '../config/index.ts';
import { type Money, money, parseToman, toTomanText, ZERO } from '../core/money.ts';
import { walletBudget } from '../keys/index.ts';
import type { Notices } from '../notices/index.ts';
import { createPayments, type Payments } from '../payments/index.ts';
import type { Foundation } from './foundation.ts';

export function openPayments(
  base: Foundation,
  admission: Pick<Admission, 'budgets'>,
  config: ConfigFile,
  notices: Notices,
): Payments {
  const payments = createPayments({
    ...base.tools,
    log: base.log,
    transport: base.transport,
    dollarRate: () => dollarRate(base, config),
    availableOf: (accountId) => availableOf(admission, accountId),
    async onCredited(tx, { id, accountId, amount }) {
      const data = { order: id, amount: toTomanText(amount) };
      const link = `/console/wallet?order=${id}`;
      await notices.raise({ accountId, event: 'payment.credited', occasion: id, data, link }, tx);
    },
  });
  payments.start(base.background);
  return payments;
}

async function availableOf(admission: Pick<Admission, 'budgets'>, accountId: string): Promise<Money> {
  const id = walletBudget(accountId);
  const state = (await admission.budgets([{ kind: 'budget', name: 'wallet', id, limit: ZERO }])).get(id);
  return money(-(state?.posted ?? 0n) - (state?.held ?? 0n));
}

async function dollarRate(base: Foundation, config: ConfigFile): Promise<Money> {
  const stored = (await base.settings.all()).get('exchange_rate');
  const text = config.money.exchangeRate ?? (typeof stored === 'string' ? stored : DEFAULT_TERMS.exchangeRate);
  return parseToman(text) ?? money(100_000_000_000n);
}
