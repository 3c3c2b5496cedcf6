/** Money of each gateway and bank, day by day. */

import type { listCash } from '@dargah/api/admin/book-reports.ts';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { AmountCell } from '../../parts/figures.tsx';
import { FilterDay } from '../../parts/filter.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { BookName } from '../book-name.tsx';
import { SaidAmount } from '../ledger/said-amount.tsx';
import { CsvLink } from './csv-link.tsx';
import { useSpanNames } from './spans.ts';
import { useAccountingTexts } from './texts.ts';

export function CashPage() {
  const texts = useAccountingTexts();
  const names = useSpanNames();
  const address = useAddress();
  const [from, to] = [address.get('from'), address.get('to')];
  const query = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const read = useRead<typeof listCash>('GET /api/admin/books/cash', { query }, { keep: true });
  const { data } = read;
  return (
    <Panel
      title={data === undefined ? texts.tabs.cash : `${names.day(data.first_day)} – ${names.day(data.last_day)}`}
      aside={
        <>
          <FilterDay name="from" label={texts.from} />
          <FilterDay name="to" label={texts.to} />
          <CsvLink report="cash" query={query} />
        </>
      }
    >
      {read.error !== null && data === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : (
        <Table
          label={texts.tabs.cash}
          dense
          rows={data === undefined ? undefined : [...data.rows].reverse()}
          idOf={({ day, book }) => `${day} ${book}`}
          empty={<Empty title={texts.none} text={texts.noneText} />}
          columns={[
            { id: 'day', head: texts.day, fold: 'c3', className: 'mid nowrap', cell: ({ day }) => names.day(day) },
            { id: 'book', head: texts.book, fold: 'c1', cell: ({ book }) => <BookName book={book} /> },
            { id: 'in', head: texts.came, number: true, cell: ({ in: value }) => <AmountCell value={value} /> },
            { id: 'out', head: texts.went, number: true, cell: ({ out }) => <AmountCell value={out} /> },
            {
              id: 'balance',
              head: texts.standing,
              number: true,
              fold: 'c2',
              cell: ({ balance }) => <SaidAmount as={texts.standing} amount={balance} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}
