/** The balance of the books, their proofs, every transfer, and profit by day, vendor, model and account. */

import type { getTrialBalance } from '@dargah/api/admin/service.ts';
import { persianDigits } from '@dargah/core/persian-text.ts';
import { useLocation } from 'wouter';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Amount, CountOf } from '../../parts/figures.tsx';
import { PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { BookName } from '../book-name.tsx';
import { useBookTexts } from '../book-texts.ts';
import { useTexts } from '../texts.ts';
import { BooksProofs } from './books-proofs.tsx';
import { ProfitBy } from './profit.tsx';
import { SaidAmount } from './said-amount.tsx';
import { useLedgerTexts } from './texts.ts';
import { BookedTransfers } from './transfers.tsx';

type Tab = 'books' | 'proofs' | 'transfers' | 'profit';

export default function LedgerPage({ params }: { params: { tab?: string } }) {
  const texts = useTexts();
  const { tabs } = useLedgerTexts();
  const [, navigate] = useLocation();
  const tab = params.tab ?? 'books';
  return (
    <>
      <PageHead title={texts.nav.ledger}>
        <Segments
          label={texts.nav.ledger}
          value={tab as Tab}
          onChange={(next) => navigate(next === 'books' ? '/operator/ledger' : `/operator/ledger/${next}`)}
          options={(Object.keys(tabs) as Tab[]).map((id) => [id, tabs[id]] as const)}
        />
      </PageHead>
      <Shown tab={tab} />
    </>
  );
}

function Shown({ tab }: { tab: string }) {
  if (tab === 'transfers') return <BookedTransfers />;
  if (tab === 'profit') return <ProfitBy />;
  return tab === 'proofs' ? <BooksProofs /> : <Trial />;
}

/** What every book holds; both sums must be equal, or money came from nowhere. */
function Trial() {
  const common = useTexts();
  const texts = useBookTexts();
  const format = useFormat();
  const read = useRead<typeof getTrialBalance>('GET /api/admin/trial-balance', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <Panel title={texts.trial}>
      <Table
        label={texts.trial}
        dense
        rows={read.data?.books}
        idOf={({ book }) => book}
        columns={[
          {
            id: 'code',
            head: texts.code,
            className: 'mid tnum nowrap',
            cell: ({ code }) => (code === null ? '—' : format.language === 'fa' ? persianDigits(code) : code),
          },
          {
            id: 'book',
            head: texts.book,
            fold: 'c1',
            cell: ({ book, accounts }) => (
              <>
                <BookName book={book} />
                {accounts > 1 && (
                  <span className="xs mid">
                    {' '}
                    (<CountOf count={accounts} of="account" />)
                  </span>
                )}
              </>
            ),
          },
          {
            id: 'class',
            head: common.kind,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ class: kind }) => kind !== null && texts.classes[kind],
          },
          {
            id: 'debit',
            head: texts.debit,
            number: true,
            fold: 'c2',
            cell: ({ debit }) => <SaidAmount as={texts.debitShort} amount={debit} />,
          },
          {
            id: 'credit',
            head: texts.credit,
            number: true,
            fold: 'c4',
            cell: ({ credit }) => <SaidAmount as={texts.creditShort} amount={credit} />,
          },
        ]}
      />
      {read.data !== undefined && (
        <p className="pad under row between">
          <Pill tone={read.data.debit === read.data.credit ? 'ok' : 'bad'}>
            {read.data.debit === read.data.credit ? texts.balanced : texts.unbalanced}
          </Pill>
          <b>
            <Amount value={read.data.credit} unit />
          </b>
        </p>
      )}
    </Panel>
  );
}
