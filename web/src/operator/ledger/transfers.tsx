/** Every transfer of the books: what moved, whose it is, why, and who did it. The filters live in the address. */
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { TransferKind } from '../../../../server/src/core/transfer-kinds.ts';
import type { listAllTransfers } from '../../../../server/src/http/admin/routes/credit.ts';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { usePages } from '../../api/read.ts';
import { addDays, dayOf, startOf } from '../../calendar.ts';
import { Actor } from '../../parts/audit-log-table.tsx';
import { Id } from '../../parts/copyable.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Filter, FilterDay, FilterText } from '../../parts/filter.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { type Column, MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { usePreferences } from '../../preferences.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { useBookTexts } from '../book-texts.ts';
import { useTexts } from '../texts.ts';
import { useLedgerTexts } from './texts.ts';

type Booked = Result<typeof listAllTransfers>['data'][number];
const FILTERS = ['kind', 'direction', 'account', 'reference', 'from', 'to'];
const ADDRESS = 'GET /api/admin/transfers';
/** How the note of a gift code begins, before its id. */
const GIFT = 'gift-code ';

export function BookedTransfers() {
  const texts = useTexts();
  const own = useLedgerTexts();
  const shared = useShared();
  const address = useAddress();
  const query = useFilters();
  const list = usePages<typeof listAllTransfers>(ADDRESS, { query: { ...query, limit: 50 } });
  const columns = useColumns();
  const filtered = FILTERS.some((name) => address.get(name) !== undefined);
  return (
    <div>
      <div className="filters">
        <Filter
          name="kind"
          label={texts.kind}
          options={[...Object.entries(texts.kinds), ...Object.entries(texts.otherKinds)]}
        />
        <Filter name="direction" label={own.direction} options={Object.entries(own.directions)} />
        <FilterDay name="from" label={own.fromDay} />
        <FilterDay name="to" label={own.toDay} />
        <FilterText name="account" label={own.accountId} />
        <FilterText name="reference" label={own.reference} />
        {filtered && (
          <button
            type="button"
            className="btn plain small"
            onClick={() => address.set(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
          >
            {shared.clear}
          </button>
        )}
      </div>
      <section className="panel" aria-label={own.tabs.transfers}>
        <div className="head ruled">
          <h2>{own.tabs.transfers}</h2>
          <div className="end">
            <ExportCsv<typeof listAllTransfers>
              small
              address={ADDRESS}
              input={{ query }}
              fileName="transfers.csv"
              head={CSV_HEAD}
              line={csvLine}
            />
          </div>
        </div>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={own.tabs.transfers}
            dense
            rows={list.rows}
            idOf={({ id }) => id}
            empty={<Empty title={own.noTransfers} text={filtered ? own.noTransfersFound : own.noTransfersText} />}
            foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
            columns={columns}
          />
        )}
      </section>
    </div>
  );
}

function useFilters() {
  const address = useAddress();
  const { timeZone } = usePreferences();
  return useMemo(() => {
    const [from, to] = [dayOf(address.get('from')), dayOf(address.get('to'))];
    const [kind, direction, account, reference] = ['kind', 'direction', 'account', 'reference'].map(address.get);
    return {
      ...(kind === undefined ? {} : { kind: kind as TransferKind }),
      ...(direction === undefined ? {} : { direction: direction as 'in' | 'out' }),
      ...(account === undefined ? {} : { account_id: account.trim() }),
      ...(reference === undefined ? {} : { reference: reference.trim() }),
      ...(from === undefined ? {} : { from: startOf(from, timeZone).toISOString() }),
      // To the end of that day.
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
      cell: (row) => (row.account_id === null ? <Party book={row.credit} /> : <AccountLink id={row.account_id} />),
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

/** Between books of our own: what we owe a provider. */
function Party({ book }: { book: string }) {
  const { books } = useBookTexts();
  const [, provider] = book.split('provider:');
  if (provider === undefined) return labelOf(books, book) ?? <Id value={book} />;
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

const CSV_HEAD = [
  'id',
  'created_at',
  'kind',
  'account_id',
  'debit',
  'credit',
  'amount_toman',
  'request_id',
  'price_version',
  'note',
  'actor',
  'actor_name',
];

function csvLine(row: Booked) {
  return [
    row.id,
    row.created_at,
    row.kind,
    row.account_id,
    row.debit,
    row.credit,
    row.amount,
    row.request_id,
    row.price_version,
    row.note,
    row.actor,
    row.actor_name,
  ];
}
