/** Accounting, wired to the books and the background. */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import {
  type BooksReports,
  type CreditByHand,
  createBooksReports,
  createCreditByHand,
  createPeriods,
  cutOver,
  endGifts,
  type Periods,
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

/** Months that close, and the reports of the books. */
export function openMonthEnd({ tools, log }: Foundation): {
  periods: Periods;
  reports: BooksReports;
  onBrokenFile(error: unknown): void;
} {
  return {
    periods: createPeriods(tools),
    reports: createBooksReports(tools),
    onBrokenFile: (error) => log.error({ err: error }, 'a report broke off while it was sent'),
  };
}

/** Invoices that the tax office waits for. */
export function invoicesToSend({ tools }: Foundation): Promise<{ count: number; until: string | null }> {
  return createBooksReports(tools).toSend();
}

export function openCreditByHand(
  base: Foundation,
  payments: Payments,
  admission: Pick<Admission, 'budgets'>,
): CreditByHand {
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
