/** Trial balance at any day, with what moved; a line opens the accounts behind it. */

import type { getBooksTrial, listBookAccounts } from '@dargah/api/admin/book-reports.ts';
import { bookOfLine } from '@dargah/core/chart.ts';
import { persianDigits } from '@dargah/core/persian-text.ts';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import { usePages, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Amount, AmountCell, CountOf } from '../../parts/figures.tsx';
import { FilterDay } from '../../parts/filter.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { BookName } from '../book-name.tsx';
import { SaidAmount } from '../ledger/said-amount.tsx';
import { CsvLink } from './csv-link.tsx';
import { useSpanNames } from './spans.ts';
import { useAccountingTexts } from './texts.ts';

const PREFIX = 'wallet:';

export function TrialPage() {
  const address = useAddress();
  const book = address.get('book');
  return book === undefined ? <Trial /> : <Accounts book={book} />;
}

function Trial() {
  const texts = useAccountingTexts();
  const format = useFormat();
  const names = useSpanNames();
  const address = useAddress();
  const [from, to] = [address.get('from'), address.get('to')];
  const query = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const read = useRead<typeof getBooksTrial>('GET /api/admin/books/trial-balance', { query }, { keep: true });
  const { data } = read;
  const isEqual = data !== undefined && data.debit === data.credit && data.moved_debit === data.moved_credit;
  return (
    <Panel
      title={data === undefined ? texts.tabs.trial : `${names.day(data.first_day)} – ${names.day(data.last_day)}`}
      aside={
        <>
          <FilterDay name="from" label={texts.from} />
          <FilterDay name="to" label={texts.to} />
          <CsvLink report="trial-balance" query={query} />
        </>
      }
    >
      {read.error !== null && data === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : (
        <Table
          label={texts.tabs.trial}
          dense
          rows={data?.lines}
          idOf={({ book }) => book}
          onOpen={({ book }) => address.set({ book })}
          empty={<Empty title={texts.none} text={texts.noneText} />}
          foot={
            data !== undefined && (
              <>
                <Pill tone={isEqual ? 'ok' : 'bad'}>{isEqual ? texts.equal : texts.unequal}</Pill>
                <b>
                  <Amount value={data.credit} unit />
                </b>
              </>
            )
          }
          columns={[
            {
              id: 'code',
              head: '#',
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
              id: 'moved_debit',
              head: texts.movedDebit,
              number: true,
              className: 'mid',
              cell: ({ moved_debit: value }) => <AmountCell value={value} />,
            },
            {
              id: 'moved_credit',
              head: texts.movedCredit,
              number: true,
              className: 'mid',
              cell: ({ moved_credit: value }) => <AmountCell value={value} />,
            },
            {
              id: 'debit',
              head: texts.debit,
              number: true,
              fold: 'c2',
              cell: ({ debit }) => <SaidAmount as={texts.debit} amount={debit} />,
            },
            {
              id: 'credit',
              head: texts.credit,
              number: true,
              fold: 'c4',
              cell: ({ credit }) => <SaidAmount as={texts.credit} amount={credit} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

/** The accounts behind one line: balances of customers, of providers, of a bank. */
function Accounts({ book }: { book: string }) {
  const texts = useAccountingTexts();
  const { language } = useFormat();
  const address = useAddress();
  const day = address.get('to');
  const query = { book, ...(day === undefined ? {} : { day }), limit: 50 };
  const list = usePages<typeof listBookAccounts>('GET /api/admin/books/accounts', { query });
  const title = texts.accountsOf(bookOfLine(book)?.name[language] ?? book);
  return (
    <Panel
      title={title}
      aside={
        <>
          <button type="button" className="btn small" onClick={() => address.set({ book: undefined })}>
            {texts.back}
          </button>
          <FilterDay name="to" label={texts.to} />
          <CsvLink report="accounts" query={{ book, day }} />
        </>
      }
    >
      {list.error !== null && list.rows === undefined ? (
        <Trouble error={list.error} again={() => void list.refetch()} />
      ) : (
        <Table
          label={title}
          dense
          rows={list.rows}
          idOf={({ id }) => id}
          empty={<Empty title={texts.none} text={texts.noneText} />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={[
            {
              id: 'account',
              head: texts.account,
              fold: 'c1',
              cell: ({ id, name }) =>
                id.startsWith(PREFIX) ? (
                  <Link href={`/operator/accounts/${id.slice(PREFIX.length)}`} title={id}>
                    <bdi>{name ?? id.slice(PREFIX.length)}</bdi>
                  </Link>
                ) : (
                  <Id value={id} />
                ),
            },
            {
              id: 'balance',
              head: texts.balance,
              number: true,
              fold: 'c2',
              cell: ({ balance }) => <AmountCell value={balance} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}
