/** Accounting, wired to the books and the background. */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import {
  type CreditByHand,
  costTasks,
  createCostCorrections,
  createCreditByHand,
  cutOver,
  endGifts,
} from '../accounting/index.ts';
import type { Admission } from '../admission/index.ts';
import type { Payments } from '../payments/index.ts';
import type { Foundation } from './foundation.ts';
import { availableOf } from './payments.ts';

/**
 * At every start, and again until no process of 0.1.0 is left. Where it fails the service goes on: entries are booked as before until
 * it succeeds, and the proof of the books says what is wrong.
 */
export async function openAccounting({ db, clock, log, ledger, background }: Foundation): Promise<void> {
  const run = async () => {
    await cutOver({ db, clock, log, ledger });
  };
  await run().catch((error: unknown) => log.error({ err: error }, 'the chart of accounts could not be put in use'));
  background.every(MINUTE_MS, 'chart of accounts', run);
}

/** What staff do to the books: credit by hand, and costs that become known later. */
export function openAccountingActs(base: Foundation, payments: Payments, admission: Pick<Admission, 'budgets'>) {
  return { hand: openCreditByHand(base, payments, admission), costs: openCosts(base, payments) };
}

function openCosts({ tools, catalog, background }: Foundation, payments: Payments) {
  const corrections = createCostCorrections(tools);
  // Also what a process began that is gone.
  background.every(MINUTE_MS, 'costs known later', () => corrections.carryOn());
  return {
    corrections,
    tasks: () => costTasks({ ...tools, profit: payments.profit, catalog: () => catalog.current() }),
    carryOn: () => background.detach(corrections.carryOn(), 'costs known later'),
  };
}

function openCreditByHand(base: Foundation, payments: Payments, admission: Pick<Admission, 'budgets'>): CreditByHand {
  const options = {
    ...base.tools,
    payments,
    availableOf: (accountId: string) => availableOf(admission, accountId),
  };
  base.background.every(10 * MINUTE_MS, 'gifts that ended', async () => {
    await endGifts(options);
  });
  return createCreditByHand(options);
}
