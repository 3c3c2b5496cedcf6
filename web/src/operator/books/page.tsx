/** The accountant's pages: the month and its closing, reports of the books, tax, invoices. */
import { useLocation } from 'wouter';
import { PageHead } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { CashPage } from './cash.tsx';
import { InvoicesPage } from './invoices.tsx';
import { JournalPage } from './journal.tsx';
import { MonthPage } from './month.tsx';
import { ProfitAndLossPage } from './profit-and-loss.tsx';
import { useAccountingTexts } from './texts.ts';
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
  const texts = useAccountingTexts();
  const [, navigate] = useLocation();
  const tab = (Object.keys(TABS) as Tab[]).find((one) => one === params.tab) ?? 'month';
  const Shown = TABS[tab];
  return (
    <>
      <PageHead title={texts.tabs[tab]}>
        <Segments
          label={texts.title}
          value={tab}
          onChange={(next) => navigate(next === 'month' ? '/operator/books' : `/operator/books/${next}`)}
          options={(Object.keys(TABS) as Tab[]).map((id) => [id, texts.tabs[id]] as const)}
        />
      </PageHead>
      <Shown />
    </>
  );
}
