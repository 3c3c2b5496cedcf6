/** Every transfer of the books: what moved, whose it is, why, and who did it. The filters live in the address. */

import type { listAllTransfers } from '@dargah/api/admin/credit.ts';
import type { TransferKind } from '@dargah/core/transfer-kinds.ts';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { usePages } from '../../api/read.ts';
import { addDays, dayOf, startOf } from '../../calendar.ts';
import { Actor } from '../../parts/audit-log-table.tsx';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Filter, FilterDay, FilterNumber, FilterText } from '../../parts/filter.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { usePreferences } from '../../preferences.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { AccountLink, NamesContext } from '../account-link.tsx';
import { BookName } from '../book-name.tsx';
import { useBookTexts } from '../book-texts.ts';
import { AccountFilter } from '../lists/account-filter.tsx';
import { ListBar } from '../lists/list-bar.tsx';
import { ListFoot, namesIn } from '../lists/list-foot.tsx';
import { present } from '../lists/present.ts';
import { useTexts } from '../texts.ts';
import { useLedgerTexts } from './texts.ts';

type Booked = Result<typeof listAllTransfers>['data'][number];
const FILTERS = [
  'kind',
  'direction',
  'account',
  'reference',
  'from',
  'to',
  'book',
  'document',
  'actor',
  'sum_from',
  'sum_to',
];
const ADDRESS = 'GET /api/admin/transfers';
/** How the note of a gift code begins, before its id. */
const GIFT = 'gift-code ';

export function BookedTransfers() {
  const texts = useTexts();
  const own = useLedgerTexts();
  const address = useAddress();
  const query = useFilters();
  const list = usePages<typeof listAllTransfers>(ADDRESS, { query: { ...query, limit: 50 } });
  const listNames = namesIn(list.pages);
  const shared = useShared();
  const columns = useColumns();
  const filtered = FILTERS.some((name) => address.get(name) !== undefined);
  return (
    <div>
      <ListBar list="transfers" names={FILTERS} query={query}>
        <Filter
          name="kind"
          label={texts.kind}
          options={[...Object.entries(texts.kinds), ...Object.entries(texts.otherKinds)]}
        />
        <Filter name="direction" label={own.direction} options={Object.entries(own.directions)} />
        <FilterDay name="from" label={own.fromDay} />
        <FilterDay name="to" label={own.toDay} />
        <AccountFilter known={listNames[address.get('account') ?? '']} />
        <FilterText name="book" label={own.bookFilter} />
        <FilterText name="document" label={own.documentFilter} />
        <FilterText name="actor" label={own.doneBy} />
        <FilterNumber name="sum_from" label={own.sumFrom} unit={shared.toman} />
        <FilterNumber name="sum_to" label={own.sumTo} unit={shared.toman} />
        <FilterText name="reference" label={own.reference} />
      </ListBar>
      <NamesContext value={listNames}>
        <section className="panel" aria-label={own.tabs.transfers}>
          {list.error !== null && list.rows === undefined ? (
            <Trouble error={list.error} again={() => void list.refetch()} />
          ) : (
            <Table
              label={own.tabs.transfers}
              dense
              rows={list.rows}
              idOf={({ id }) => id}
              empty={<Empty title={own.noTransfers} text={filtered ? own.noTransfersFound : own.noTransfersText} />}
              foot={<ListFoot list={list} />}
              columns={columns}
            />
          )}
        </section>
      </NamesContext>
    </div>
  );
}

function useFilters() {
  const address = useAddress();
  const { timeZone } = usePreferences();
  return useMemo(() => {
    const [from, to] = [dayOf(address.get('from')), dayOf(address.get('to'))];
    const [kind, direction, account, reference] = ['kind', 'direction', 'account', 'reference'].map(address.get);
    const others = {
      book: address.get('book')?.trim(),
      document_id: address.get('document')?.trim(),
      actor: address.get('actor')?.trim(),
      sum_from: address.get('sum_from'),
      sum_to: address.get('sum_to'),
    };
    return {
      ...present(others),
      ...(kind === undefined ? {} : { kind: kind as TransferKind }),
      ...(direction === undefined ? {} : { direction: direction as 'in' | 'out' }),
      ...(account === undefined ? {} : { account_id: account.trim() }),
      ...(reference === undefined ? {} : { reference: reference.trim() }),
      ...(from === undefined ? {} : { from: startOf(from, timeZone).toISOString() }),
      // Includes the whole of that day.
      ...(to === undefined ? {} : { to: startOf(addDays(to, 1), timeZone).toISOString() }),
    };
  }, [address.get, timeZone]);
}

function useColumns(): Column<Booked>[] {
  const texts = useTexts();
  const own = useLedgerTexts();
  return [
    {
      id: 'at',
      head: texts.time,
      fold: 'c3',
      className: 'mid nowrap tnum',
      cell: ({ created_at: at }) => <Moment at={at} />,
    },
    {
      id: 'kind',
      head: own.what,
      fold: 'c1',
      cell: ({ kind, note }) => (
        <>
          {note?.startsWith(GIFT) ? own.gift : (labelOf(texts.kinds, kind) ?? labelOf(texts.otherKinds, kind) ?? kind)}
          {note !== null && (
            <div className="xs mid wraps">
              <bdi>{labelOf(own.notes, note) ?? note.replace(GIFT, '')}</bdi>
            </div>
          )}
        </>
      ),
    },
    {
      id: 'account',
      head: own.party,
      fold: 'c4',
      className: 'narrow-id',
      cell: (row) =>
        row.account_id === null ? (
          <Parties debit={row.debit} credit={row.credit} />
        ) : (
          <AccountLink id={row.account_id} />
        ),
    },
    {
      id: 'actor',
      head: own.doneBy,
      cell: ({ actor, actor_name: name }) =>
        actor === null ? <span className="dim">—</span> : <Actor actor={actor} name={name} forCustomer={false} />,
    },
    { id: 'reference', head: own.reference, className: 'narrow-id', cell: (row) => <Reference row={row} /> },
    {
      id: 'amount',
      head: texts.amountColumn,
      number: true,
      fold: 'c2',
      cell: ({ amount, account_id: account }) => (
        <AmountCell value={amount} tone={account === null || amount.startsWith('-') ? '' : 'good'} />
      ),
    },
  ];
}

/** Between our own books; the cost of a request names only the provider. */
function Parties({ debit, credit }: { debit: string; credit: string }) {
  const { debitShort, creditShort } = useBookTexts();
  if (debit === 'costs') return <Party book={credit} />;
  return (
    <div className="xs">
      <div>
        <span className="mid">{debitShort}</span> <Party book={debit} />
      </div>
      <div>
        <span className="mid">{creditShort}</span> <Party book={credit} />
      </div>
    </div>
  );
}

function Party({ book }: { book: string }) {
  const [, provider] = book.split('provider:');
  if (provider === undefined) return <BookName book={book} />;
  return (
    <Link href={`/operator/providers?provider=${encodeURIComponent(provider)}`}>
      <Id value={provider} />
    </Link>
  );
}

/** A request leads to its receipt. */
function Reference({ row: { id, request_id: request } }: { row: Booked }) {
  if (request === null) return <Id value={id} copy />;
  return (
    <Link href={`/operator/requests/${request}`}>
      <Id value={request} />
    </Link>
  );
}
