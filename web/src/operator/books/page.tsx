/** The accountant's pages: the month and its closing, reports of the books, tax, invoices. */
import { BooksHead } from './books-tabs.tsx';
import { CashPage } from './cash.tsx';
import { InvoicesPage } from './invoices.tsx';
import { JournalPage } from './journal.tsx';
import { MonthPage } from './month.tsx';
import { ProfitAndLossPage } from './profit-and-loss.tsx';
import { TrialPage } from './trial.tsx';
import { VatPage } from './vat.tsx';

const TABS = {
  month: MonthPage,
  trial: TrialPage,
  profit: ProfitAndLossPage,
  cash: CashPage,
  journal: JournalPage,
  vat: VatPage,
  invoices: InvoicesPage,
} as const;
type Tab = keyof typeof TABS;

export default function BooksPage({ params }: { params: { tab?: string } }) {
  const tab = (Object.keys(TABS) as Tab[]).find((one) => one === params.tab) ?? 'month';
  const Shown = TABS[tab];
  return (
    <>
      <BooksHead page={tab} />
      <Shown />
    </>
  );
}
