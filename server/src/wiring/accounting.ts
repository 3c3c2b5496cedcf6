/** Accounting, wired to the books and the background. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import {
  type BooksReports,
  type CreditByHand,
  costTasks,
  createBills,
  createBooksReports,
  createCostCorrections,
  createCreditByHand,
  createDocumentFiles,
  createPeriods,
  createSettlements,
  cutOver,
  endGifts,
  entriesOfYesterday,
  ordersNotSettled,
  type Periods,
} from '../accounting/index.ts';
import type { Admission } from '../admission/index.ts';
import { type Money, toTomanText } from '../core/money.ts';
import type { Notices } from '../notices/index.ts';
import type { Payments } from '../payments/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { Foundation } from './foundation.ts';
import { availableOf } from './payments.ts';

/**
 * Runs at every start, and again until no process of 0.1.0 is left. When it fails the service goes on: entries are
 * booked as before until it succeeds, and the proof of the books reports the fault.
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

/** What staff do to the books: credit by hand, and costs that become known later. */
export function openAccountingActs(
  base: Foundation,
  payments: Payments,
  admission: Pick<Admission, 'budgets'>,
  notices: Notices,
) {
  return {
    hand: openCreditByHand(base, payments, admission, notices),
    costs: openCosts(base, payments),
    files: createDocumentFiles(base.tools),
  };
}

function openCosts({ tools, catalog, background }: Foundation, payments: Payments) {
  const corrections = createCostCorrections(tools);
  // Also finishes what a dead process began.
  background.every(MINUTE_MS, 'costs known later', () => corrections.carryOn());
  return {
    corrections,
    tasks: () => costTasks({ ...tools, profit: payments.profit, catalog: () => catalog.current() }),
    carryOn: () => background.detach(corrections.carryOn(), 'costs known later'),
  };
}

function openCreditByHand(
  base: Foundation,
  payments: Payments,
  admission: Pick<Admission, 'budgets'>,
  notices: Notices,
): CreditByHand {
  const link = '/operator/by-hand';
  const options = {
    async onAsked(tx: Queryable, { id, amount, reason }: { id: string; amount: Money; reason: string }) {
      const news = { event: 'approval.asked' as const, occasion: id, data: { amount: toTomanText(amount), reason } };
      await notices.raise({ accountId: '', ...news, link }, tx);
    },
    ...base.tools,
    payments,
    availableOf: (accountId: string) => availableOf(admission, accountId),
  };
  base.background.every(10 * MINUTE_MS, 'gifts that ended', async () => {
    await endGifts(options);
  });
  base.background.every(HOUR_MS, 'entries by hand of a day', async () => {
    const summary = await entriesOfYesterday(base.db, base.clock.now());
    if (summary === undefined) return;
    const data = { count: summary.count, amount: toTomanText(summary.amount) };
    await notices.raise({
      accountId: '',
      event: 'credit.day',
      occasion: summary.day,
      data,
      link: `${link}?tab=entries`,
    });
  });
  return createCreditByHand(options);
}

/** Staff are told once a day of orders that a gateway has not settled for this long. */
const OVERDUE_MS = 3 * DAY_MS;
const ASK_MS = 6 * HOUR_MS;

/** Reconciliation and bills: reports of gateways are read in the background and booked by a person. */
export function openReconciliation(base: Foundation, payments: Payments, notices: Notices) {
  const { db, clock, log, background } = base;
  const options = { ...base.tools, payments };
  const settlements = createSettlements(options);
  background.every(ASK_MS, 'settlements', async () => {
    for (const gateway of await payments.gateways.available()) {
      if (!gateway.settlements) continue;
      await settlements.fetch(gateway.id, 'reconciler').catch((error: unknown) => {
        log.warn(
          { gateway: gateway.id, err: error },
          'the settlements of a gateway could not be read; it is asked again',
        );
      });
    }
  });
  background.every(HOUR_MS, 'orders that are not settled', async () => {
    const now = clock.now();
    const day = new Date(now).toISOString().slice(0, 10);
    for (const { gateway, count, amount } of await ordersNotSettled(db, new Date(now - OVERDUE_MS))) {
      const data = { gateway, count, amount: toTomanText(amount) };
      const news = { event: 'settlement.overdue' as const, occasion: `${gateway}:${day}`, data };
      await notices.raise({ accountId: '', ...news, link: '/operator/books/settlement?tab=ours' });
    }
  });
  return { settlements, bills: createBills(options) };
}
