/** Papers of the books: all of them by filters, and a form for those that staff books. */

import type { bookDocument, listDocuments } from '@dargah/api/admin/documents.ts';
import { useMemo, useState } from 'react';
import { useAddress } from '../../../address.ts';
import type { Result } from '../../../api/call.ts';
import { usePages } from '../../../api/read.ts';
import { addDays, dayOf, startOf } from '../../../calendar.ts';
import { useFormat } from '../../../format.ts';
import { Actor } from '../../../parts/audit-log-table.tsx';
import { Id } from '../../../parts/copyable.tsx';
import { AmountCell } from '../../../parts/figures.tsx';
import { Filter, FilterDay, FilterText } from '../../../parts/filter.tsx';
import { Empty } from '../../../parts/page-frame.tsx';
import { Segments } from '../../../parts/segments.tsx';
import { type Column, MoreButton, Table } from '../../../parts/table.tsx';
import { Trouble } from '../../../parts/trouble.tsx';
import { usePreferences } from '../../../preferences.tsx';
import { useShared } from '../../../texts/shared.ts';
import { useStaffMay } from '../../may.ts';
import { BooksHead } from '../books-tabs.tsx';
import { OpenedDocument } from './opened.tsx';
import { DocumentForm } from './paper-form.tsx';
import { Party, useKindName } from './party.tsx';
import { useDocumentTexts } from './texts.ts';
import { Undocumented } from './undocumented.tsx';

type Row = Result<typeof listDocuments>['data'][number];
const FILTERS = ['kind', 'party', 'number', 'from', 'to'];

export default function DocumentsPage() {
  const texts = useDocumentTexts();
  const address = useAddress();
  const tab = address.get('tab') === 'undocumented' ? 'undocumented' : 'list';
  const opened = address.get('document');
  return (
    <>
      <BooksHead page="documents" lead={texts.lead} />
      <div className="filters">
        <Segments
          label={texts.tabs.list}
          value={tab}
          onChange={(next) => address.set({ tab: next === 'list' ? undefined : next })}
          options={[
            ['list', texts.tabs.list],
            ['undocumented', texts.tabs.undocumented],
          ]}
        />
      </div>
      {tab === 'list' ? <Papers /> : <Undocumented />}
      {opened !== undefined && <OpenedDocument id={opened} onClose={() => address.set({ document: undefined })} />}
    </>
  );
}

function useFilters() {
  const address = useAddress();
  const { timeZone } = usePreferences();
  return useMemo(() => {
    const [from, to] = [dayOf(address.get('from')), dayOf(address.get('to'))];
    const [kind, party, number] = ['kind', 'party', 'number'].map(address.get);
    return {
      ...(kind === undefined ? {} : { kind }),
      ...(party === undefined ? {} : { party: party.trim() }),
      ...(number === undefined ? {} : { number: number.trim() }),
      ...(from === undefined ? {} : { from: startOf(from, timeZone).toISOString() }),
      // Includes the whole of that day.
      ...(to === undefined ? {} : { to: startOf(addDays(to, 1), timeZone).toISOString() }),
    };
  }, [address.get, timeZone]);
}

function Papers() {
  const texts = useDocumentTexts();
  const shared = useShared();
  const address = useAddress();
  const query = useFilters();
  const [adding, setAdding] = useState(false);
  const mayBook = useStaffMay<typeof bookDocument>(['owner', 'finance']);
  const list = usePages<typeof listDocuments>('GET /api/admin/documents', { query: { ...query, limit: 50 } });
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
        <FilterDay name="from" label={texts.fromDay} />
        <FilterDay name="to" label={texts.toDay} />
        <FilterText name="party" label={texts.party} />
        <FilterText name="number" label={texts.number} />
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
      <section className="panel" aria-label={texts.tabs.list}>
        <div className="head ruled">
          <h2>{texts.tabs.list}</h2>
          {mayBook && (
            <div className="end">
              <button type="button" className="btn small" onClick={() => setAdding(true)}>
                {texts.add}
              </button>
            </div>
          )}
        </div>
        {list.error !== null && list.rows === undefined ? (
          <Trouble error={list.error} again={() => void list.refetch()} />
        ) : (
          <Table
            label={texts.tabs.list}
            dense
            rows={list.rows}
            idOf={({ id }) => id}
            onOpen={({ id }) => address.set({ document: id })}
            selected={address.get('document')}
            empty={<Empty title={texts.none} text={filtered ? texts.noneFound : texts.noneText} />}
            foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
            columns={columns}
          />
        )}
      </section>
      {adding && <DocumentForm onClose={() => setAdding(false)} />}
    </div>
  );
}

function useColumns(): Column<Row>[] {
  const texts = useDocumentTexts();
  const format = useFormat();
  const nameOf = useKindName();
  return [
    {
      id: 'kind',
      head: texts.kind,
      fold: 'c1',
      cell: ({ kind, note }) => (
        <>
          <span className="strong">{nameOf(kind)}</span>
          {note !== null && (
            <span className="sub">
              <bdi>{note}</bdi>
            </span>
          )}
        </>
      ),
    },
    {
      id: 'number',
      head: texts.number,
      spare: true,
      className: 'mid narrow-id',
      cell: ({ number }) => (number === null ? '—' : <Id value={number} />),
    },
    {
      id: 'party',
      head: texts.party,
      fold: 'c3',
      className: 'mid narrow-id',
      cell: ({ party }) => (party === null ? '—' : <Party party={party} />),
    },
    {
      id: 'dated',
      head: texts.dated,
      fold: 'c4',
      className: 'mid nowrap',
      cell: ({ dated_on: day }) => format.date(`${day}T12:00:00Z`),
    },
    {
      id: 'by',
      head: texts.by,
      spare: true,
      className: 'mid',
      cell: ({ created_by: actor, created_by_name: name }) => <Actor actor={actor} name={name} forCustomer={false} />,
    },
    { id: 'amount', head: texts.amount, number: true, fold: 'c2', cell: ({ amount }) => <AmountCell value={amount} /> },
  ];
}
