/** Profit by day, month, vendor, model, provider and account: the sum on top, and what of it is not known. */

import type { getProfit } from '@dargah/api/admin/profit-and-costs.ts';
import { persianDigits } from '@dargah/core/persian-text.ts';
import { useMemo } from 'react';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { usePages } from '../../api/read.ts';
import { dayOf } from '../../calendar.ts';
import { roughly, useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Amount, AmountCell, CountOf } from '../../parts/figures.tsx';
import { FilterDay } from '../../parts/filter.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { type Column, MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { usePreferences } from '../../preferences.tsx';
import { AccountLink } from '../account-link.tsx';
import { UnknownCost } from '../cost-tasks-line.tsx';
import { startOfLastDays } from '../last-days.ts';
import { ProfitFigure } from '../profit-figure.tsx';
import { useTexts } from '../texts.ts';
import { SaidAmount } from './said-amount.tsx';
import { useLedgerTexts } from './texts.ts';

type Report = Result<typeof getProfit>;
type Row = Report['data'][number];
type By = 'day' | 'month' | 'vendor' | 'model' | 'account' | 'provider';
const ADDRESS = 'GET /api/admin/profit';

export function ProfitBy() {
  const own = useLedgerTexts();
  const texts = useTexts();
  const address = useAddress();
  const { calendar } = usePreferences();
  const by = (address.get('by') ?? 'day') as By;
  const lately = useMemo(() => startOfLastDays(30), []);
  const [from, to] = [dayOf(address.get('from')), dayOf(address.get('to'))];
  const query = { by, calendar, from: from ?? lately, ...(to === undefined ? {} : { to }) };
  const list = usePages<typeof getProfit>(ADDRESS, { query });
  const columns = useColumns(by, list.first?.total);
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <div>
      <div className="filters">
        <Segments
          label={own.profitBy}
          value={by}
          onChange={(next) => address.set({ by: next })}
          options={(Object.keys(own.by) as By[]).map((id) => [id, own.by[id]] as const)}
        />
      </div>
      <div className="filters">
        <FilterDay name="from" label={from === undefined ? own.thirtyDays : own.fromDay} />
        <FilterDay name="to" label={own.toDay} />
      </div>
      <div className="stack">
        <Sum total={list.first?.total} />
        <Panel
          title={own.profitBy}
          aside={
            <ExportCsv<typeof getProfit>
              small
              address={ADDRESS}
              input={{ query }}
              fileName={`profit-by-${by}.csv`}
              head={[by, ...CSV_COLUMNS]}
              line={(row) => [row.value, ...CSV_COLUMNS.map((name) => row[name] ?? '')]}
            />
          }
        >
          <Table
            label={own.profitBy}
            dense
            rows={list.rows}
            idOf={({ value }) => value}
            empty={<Empty title={texts.noRequests} text="" />}
            columns={columns}
            foot={list.more && <MoreButton more busy={list.loadingMore} onMore={list.onMore} />}
          />
        </Panel>
      </div>
    </div>
  );
}

const CSV_COLUMNS = [
  'requests',
  'revenue',
  'provider_cost',
  'waste',
  'profit',
  'profit_low',
  'profit_high',
  'margin_known',
  'revenue_unknown_cost',
  'unknown_cost',
] as const satisfies readonly (keyof Row)[];

/** A column without any value is left out. */
function useColumns(by: By, total: Row | undefined): readonly Column<Row>[] {
  const texts = useTexts();
  const own = useLedgerTexts();
  const format = useFormat();
  return [
    { id: 'value', head: own.by[by], fold: 'c1', cell: ({ value }) => <Named by={by} value={value} /> },
    {
      id: 'requests',
      head: texts.requests,
      number: true,
      fold: 'c3',
      cell: ({ requests }) => <CountOf count={requests} of="request" />,
    },
    {
      id: 'revenue',
      head: texts.price,
      number: true,
      fold: 'c2',
      cell: ({ revenue }) => <SaidAmount as={own.sold} amount={revenue} />,
    },
    {
      id: 'cost',
      head: texts.providerCost,
      number: true,
      cell: ({ provider_cost: cost }) => <AmountCell value={cost} />,
    },
    ...(roughly(total?.waste) === 0
      ? []
      : [
          {
            id: 'waste',
            head: own.waste,
            number: true,
            spare: true,
            cell: ({ waste }: Row) => <AmountCell value={waste} />,
          },
        ]),
    {
      id: 'profit',
      head: own.profitColumn,
      number: true,
      fold: 'c4',
      cell: (row) =>
        row.profit === null ? (
          <ProfitFigure of={row} />
        ) : (
          <SaidAmount as={texts.profit} amount={row.profit} tone={row.profit.startsWith('-') ? 'bad' : ''} />
        ),
    },
    {
      id: 'margin',
      head: texts.margin,
      number: true,
      cell: ({ margin_known: margin }) => (margin === null ? '—' : format.percent(margin, 2)),
    },
    ...(total === undefined || total.unknown_cost === 0
      ? []
      : [
          {
            id: 'unknown',
            head: own.unknownShare,
            number: true,
            spare: true,
            cell: ({ revenue, revenue_unknown_cost: unknown }: Row) =>
              roughly(unknown) === 0 ? '' : format.percent(Math.min(1, roughly(unknown) / roughly(revenue)), 1),
          },
        ]),
  ];
}

function Named({ by, value }: { by: By; value: string }) {
  const format = useFormat();
  if (by === 'day') return format.date(`${value.slice(0, 10)}T12:00:00Z`);
  if (by === 'account') return <AccountLink id={value} />;
  if (by !== 'month') return value === '' ? '—' : <Id value={value} />;
  const month = value.replace('-', '/');
  return format.language === 'fa' ? persianDigits(month) : month;
}

/** What the whole period comes to. */
function Sum({ total }: { total: Row | undefined }) {
  const texts = useTexts();
  const own = useLedgerTexts();
  const format = useFormat();
  const margin = total?.margin_known;
  const figure = (name: string, value: React.ReactNode, more?: React.ReactNode) => (
    <div className="stat">
      <div className="stat-name">{name}</div>
      <div className="stat-value">{total === undefined ? '—' : value}</div>
      {more !== undefined && <div className="stat-note">{more}</div>}
    </div>
  );
  const amount = (value: string | undefined) => value !== undefined && <Amount value={value} unit />;
  return (
    <section className="panel" aria-label={texts.profit}>
      <div className="strip">
        {figure(own.sold, amount(total?.revenue))}
        {figure(own.knownCost, amount(total?.provider_cost))}
        {figure(own.waste, amount(total?.waste), own.wasteText)}
        {figure(
          texts.profit,
          total !== undefined && <ProfitFigure of={total} />,
          typeof margin === 'number' ? own.marginKnown(format.percent(margin, 2)) : undefined,
        )}
      </div>
      {total !== undefined && total.unknown_cost > 0 && (
        <div className="pad under">
          <UnknownCost total={total} />
        </div>
      )}
    </section>
  );
}
