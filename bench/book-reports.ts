/** How long each report of the books takes, on books whose days are sealed: a year of them, 20,000 invoices. */
import { randomBytes } from 'node:crypto';
import { createBooksReports, REPORT_MAKERS } from '../server/src/accounting/index.ts';
import type { Clock } from '../server/src/core/clock.ts';
import type { Database } from '../server/src/platform/db/index.ts';

const FORMER_MONTHS = 11;
const TIMES = 5;

/** The sealed days again, a month earlier each time: a year of sums, as eleven more such months would leave them. */
async function makeYear(db: Database): Promise<void> {
  const statements = [
    `insert into ledger_day (day, debit, credit, kind, transfers, amount)
     select day - 30 * back, debit, credit, kind, transfers, amount from ledger_day cross join generate_series(1, ${FORMER_MONTHS}) as back
     on conflict do nothing`,
    `insert into ledger_balance (id, day, moved, posted, charged)
     select id, day - 30 * back, moved, posted, charged from ledger_balance cross join generate_series(1, ${FORMER_MONTHS}) as back
     on conflict do nothing`,
    `insert into ledger_seal (day, transfers, late, requests, amount, charged, digest, chain, sealed_at)
     select day - 30 * back, transfers, late, requests, amount, charged, digest, chain, sealed_at from ledger_seal
     cross join generate_series(1, ${FORMER_MONTHS}) as back on conflict do nothing`,
    `insert into invoice (id, year, number, kind, account_id, order_id, content, amount, vat, vat_basis_points, issued_at)
     select 'inv_' || id, 1405, row_number() over (order by created_at), 'invoice', account_id, id, '{"lines":[]}', amount, amount / 10, 1000, created_at
     from payment_order`,
    'analyze',
  ];
  for (const statement of statements)
    await db.report((tx) => tx.query(statement), { for: 'job', timeoutMs: 1_200_000 });
}

export async function timeReports(db: Database, clock: Clock): Promise<Record<string, number>> {
  await makeYear(db);
  const reports = createBooksReports({ db, clock, randomBytes });
  const [last] = await db.query<{ day: string; first: string }>(
    'select max(day)::text as day, (max(day) - 29)::text as first from ledger_seal',
  );
  const [day, first] = [last?.day ?? '', last?.first ?? ''];
  const whole = async (name: keyof typeof REPORT_MAKERS, query: object) => {
    for await (const piece of (await REPORT_MAKERS[name](reports, query, 'en')).pieces) void piece;
  };
  const asked: Record<string, () => Promise<unknown>> = {
    'trial balance of a sealed month': () => reports.trial({ from: first, to: day }),
    'trial balance now': () => reports.trial({}),
    'profit, 12 months': () => reports.profit('month', 12),
    'profit, 2 years': () => reports.profit('year', 2),
    'cash of a month': () => reports.cash({ from: first, to: day }),
    'cash of a year': () =>
      reports.cash({ to: day, from: new Date(Date.parse(day) - 364 * 86_400_000).toISOString().slice(0, 10) }),
    'customers at a day, first page': () => reports.accounts({ line: 'wallets', day }, { limit: 50 }),
    'customers at a day, whole file': () => whole('accounts', { day }),
    'journal, first page': () => reports.journal(undefined, undefined, 50),
    'journal of a month, whole file': () => whole('journal', {}),
    'VAT of the season': () => reports.vat(),
    'invoices, first page': () => reports.invoices({}, { limit: 50 }),
    'invoices to be sent': () => reports.toSend(),
    'invoices, whole file': () => whole('invoices', {}),
  };
  const took: Record<string, number> = {};
  for (const [name, ask] of Object.entries(asked)) {
    const times: number[] = [];
    for (let n = 0; n < TIMES; n++) {
      const began = performance.now();
      await ask();
      times.push(performance.now() - began);
    }
    took[name] = Math.round(times.sort((a, b) => a - b)[Math.floor(TIMES / 2)] ?? 0);
  }
  return took;
}
