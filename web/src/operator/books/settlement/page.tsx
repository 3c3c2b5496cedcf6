/** Reconciliation: settlements that were read, what is open on either side, and how the books began. */

import type {
  fetchSettlements,
  getOpenItems,
  importSettlement,
  listOpenOrders,
  listSettlements,
} from '@dargah/api/admin/settlements.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAddress } from '../../../address.ts';
import type { Result } from '../../../api/call.ts';
import { useChange, usePages, useRead } from '../../../api/read.ts';
import { useFormat } from '../../../format.ts';
import { Id } from '../../../parts/copyable.tsx';
import { Amount, AmountCell, Moment } from '../../../parts/figures.tsx';
import { Empty, Panel } from '../../../parts/page-frame.tsx';
import { Pill } from '../../../parts/pill.tsx';
import { Segments } from '../../../parts/segments.tsx';
import { type Column, MoreButton, Table } from '../../../parts/table.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { Trouble } from '../../../parts/trouble.tsx';
import { AccountLink } from '../../account-link.tsx';
import { GatewayName } from '../../gateway-name.tsx';
import { useStaffMay } from '../../may.ts';
import { BooksHead } from '../books-tabs.tsx';
import { ImportDialog } from './import.tsx';
import { OpeningForm } from './opening.tsx';
import { STALE } from './stale.ts';
import { useSettlementTexts } from './texts.ts';
import { SETTLEMENT_TONES, Units } from './units.tsx';

type Settlement = Result<typeof listSettlements>['data'][number];
type OpenOrder = Result<typeof listOpenOrders>['data'][number];
type Tab = keyof ReturnType<typeof useSettlementTexts>['tabs'];

export default function SettlementPage() {
  const texts = useSettlementTexts();
  const address = useAddress();
  const tabs = Object.keys(texts.tabs) as Tab[];
  const tab = tabs.find((one) => one === address.get('tab')) ?? 'list';
  return (
    <>
      <BooksHead page="settlement" lead={texts.lead} />
      <Open />
      <div className="filters">
        <Segments
          label={texts.tabs.list}
          value={tab}
          onChange={(next) => address.set({ tab: next === 'list' ? undefined : next })}
          options={tabs.map((one) => [one, texts.tabs[one]] as const)}
        />
      </div>
      {tab === 'list' && <List />}
      {tab === 'ours' && <OpenOrders list="not-settled" />}
      {tab === 'receipts' && <OpenOrders list="not-seen" />}
      {tab === 'opening' && <OpeningForm />}
    </>
  );
}

function Open() {
  const texts = useSettlementTexts();
  const format = useFormat();
  const read = useRead<typeof getOpenItems>('GET /api/admin/open-items', {});
  if (read.data === undefined) return null;
  const { data } = read;
  return (
    <section className="panel strip spaced" aria-label={texts.open}>
      {(Object.keys(texts.openItems) as (keyof typeof texts.openItems)[]).map((name) => (
        <div key={name} className="stat">
          <div className="stat-name">{texts.openItems[name]}</div>
          <div className="stat-value">{format.number(data[name].count)}</div>
          {data[name].count > 0 && (
            <div className="stat-note">
              <Amount value={data[name].amount} unit />
            </div>
          )}
        </div>
      ))}
    </section>
  );
}

function List() {
  const texts = useSettlementTexts();
  const [, navigate] = useLocation();
  const [importing, setImporting] = useState(false);
  const mayImport = useStaffMay<typeof importSettlement>(['owner', 'finance']);
  const list = usePages<typeof listSettlements>('GET /api/admin/settlements', { query: { limit: 50 } });
  const columns = useColumns();
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <section className="panel" aria-label={texts.tabs.list}>
      <div className="head ruled">
        <h2>{texts.tabs.list}</h2>
        {mayImport && (
          <div className="end row">
            <FetchButtons />
            <button type="button" className="btn small" onClick={() => setImporting(true)}>
              {texts.import}
            </button>
          </div>
        )}
      </div>
      <Table
        label={texts.tabs.list}
        rows={list.rows}
        idOf={({ id }) => id}
        onOpen={({ id }) => navigate(`/operator/books/settlement/${id}`)}
        empty={<Empty title={texts.none} text={texts.noneText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={columns}
      />
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </section>
  );
}

function FetchButtons() {
  const texts = useSettlementTexts();
  const format = useFormat();
  const toast = useToast();
  const read = useRead<typeof getOpenItems>('GET /api/admin/open-items', {});
  const fetching = useChange<typeof fetchSettlements>('POST /api/admin/settlements/fetch', {
    stale: STALE,
    done: ({ data }) => toast({ text: texts.fetched(format.number(data.length)) }),
  });
  return (read.data?.fetched ?? []).map((gateway) => (
    <button
      key={gateway}
      type="button"
      className="btn small"
      disabled={fetching.isPending}
      onClick={() => fetching.mutate({ body: { gateway } })}
    >
      {texts.fetch(gateway)}
    </button>
  ));
}

function useColumns(): Column<Settlement>[] {
  const texts = useSettlementTexts();
  const format = useFormat();
  return [
    {
      id: 'source',
      head: texts.source,
      fold: 'c1',
      cell: ({ source, kind, external_id: id }) => (
        <>
          <span className="strong">
            {texts.kinds[kind]} · {kind === 'gateway' ? <GatewayName id={source} /> : <bdi>{source}</bdi>}
          </span>
          {kind === 'gateway' && (
            <span className="sub">
              <bdi>{id}</bdi>
            </span>
          )}
        </>
      ),
    },
    { id: 'day', head: texts.day, fold: 'c3', className: 'mid', cell: ({ paid_at: at }) => <Moment at={at} /> },
    {
      id: 'amount',
      head: texts.amount,
      number: true,
      fold: 'c2',
      cell: (row) => <Units value={row.units} unit={row.unit} />,
    },
    {
      id: 'lines',
      head: texts.lines,
      className: 'mid',
      cell: ({ lines, open_lines: open }) => texts.linesOf(format.number(lines), format.number(open)),
    },
    {
      id: 'state',
      head: texts.state,
      fold: 'c4',
      cell: ({ state }) => <Pill tone={SETTLEMENT_TONES[state]}>{texts.states[state]}</Pill>,
    },
  ];
}

function OpenOrders({ list: which }: { list: 'not-settled' | 'not-seen' }) {
  const texts = useSettlementTexts();
  const list = usePages<typeof listOpenOrders>('GET /api/admin/open-orders', { query: { list: which, limit: 50 } });
  const label = which === 'not-settled' ? texts.tabs.ours : texts.tabs.receipts;
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  const columns: Column<OpenOrder>[] = [
    { id: 'order', head: texts.order, fold: 'c1', cell: ({ id }) => <Id value={id} /> },
    { id: 'account', head: texts.account, fold: 'c3', cell: ({ account_id: id }) => <AccountLink id={id} /> },
    { id: 'source', head: texts.source, className: 'mid', cell: ({ gateway }) => <GatewayName id={gateway} /> },
    {
      id: 'reference',
      head: texts.reference,
      className: 'mid',
      cell: ({ reference }) => (reference === null ? '—' : <bdi>{reference}</bdi>),
    },
    { id: 'day', head: texts.day, fold: 'c4', className: 'mid', cell: ({ created_at: at }) => <Moment at={at} /> },
    { id: 'amount', head: texts.amount, number: true, fold: 'c2', cell: ({ amount }) => <AmountCell value={amount} /> },
  ];
  const empty =
    which === 'not-settled' ? (
      <Empty title={texts.noOurs} text={texts.noOursText} />
    ) : (
      <Empty title={texts.noReceipts} text={texts.noReceiptsText} />
    );
  return (
    <Panel label={label}>
      <Table
        label={label}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={empty}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={columns}
      />
    </Panel>
  );
}
