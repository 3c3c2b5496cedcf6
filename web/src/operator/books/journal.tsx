/** The journal of a month: every entry with its paper; sales and what providers cost are one line a day. */

import type { listJournal } from '@dargah/api/admin/book-reports.ts';
import type { TransferKind } from '@dargah/core/transfer-kinds.ts';
import { useAddress } from '../../address.ts';
import { usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { AmountCell } from '../../parts/figures.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { BookName } from '../book-name.tsx';
import { CsvLink } from './csv-link.tsx';
import { MonthFilter } from './month-filter.tsx';
import { useSpanNames } from './spans.ts';
import { useAccountingTexts } from './texts.ts';

export function JournalPage() {
  const texts = useAccountingTexts();
  const names = useSpanNames();
  const format = useFormat();
  const address = useAddress();
  const month = address.get('month');
  const query = { limit: 50, ...(month === undefined ? {} : { month }) };
  const list = usePages<typeof listJournal>('GET /api/admin/books/journal', { query });
  return (
    <Panel
      title={texts.tabs.journal}
      aside={
        <>
          <MonthFilter label={texts.month} />
          <CsvLink report="journal" query={{ month }} />
        </>
      }
    >
      {list.error !== null && list.rows === undefined ? (
        <Trouble error={list.error} again={() => void list.refetch()} />
      ) : (
        <Table
          label={texts.tabs.journal}
          dense
          rows={list.rows}
          idOf={({ day, id }) => `${day} ${id}`}
          empty={<Empty title={texts.none} text={texts.noneText} />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={[
            { id: 'day', head: texts.day, fold: 'c3', className: 'mid nowrap', cell: ({ day }) => names.day(day) },
            {
              id: 'books',
              head: texts.book,
              fold: 'c1',
              cell: ({ debit, credit }) => (
                <>
                  <BookName book={debit.startsWith('wallet:') ? 'wallets' : debit} />
                  <span className="sub">
                    <BookName book={credit.startsWith('wallet:') ? 'wallets' : credit} />
                  </span>
                </>
              ),
            },
            {
              id: 'kind',
              head: texts.kind,
              fold: 'c4',
              className: 'mid',
              cell: ({ kind, transfers }) => (
                <>
                  {texts.kinds[kind as TransferKind]}
                  {transfers > 1 && <span className="sub">{texts.transfers(format.number(transfers))}</span>}
                </>
              ),
            },
            {
              id: 'document',
              head: texts.document,
              className: 'mid',
              cell: ({ number, note }) => (
                <>
                  {number !== null && <bdi>{number}</bdi>}
                  {note !== null && (
                    <span className="sub">
                      <bdi>{note}</bdi>
                    </span>
                  )}
                </>
              ),
            },
            {
              id: 'amount',
              head: texts.amount,
              number: true,
              fold: 'c2',
              cell: ({ amount }) => <AmountCell value={amount} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}
