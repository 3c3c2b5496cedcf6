/** Profit by day, vendor, model and account, with what it comes to. */
import { useMemo } from 'react';
import type { getProfit } from '../../../../server/src/http/admin/routes/payments.ts';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Amount, AmountCell, CountOf } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Segments } from '../../parts/segments.tsx';
import { downloadCsv, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { AccountLink } from '../account-link.tsx';
import { startOfLastDays } from '../last-days.ts';
import { useTexts } from '../texts.ts';
import { SaidAmount } from './said-amount.tsx';
import { useLedgerTexts } from './texts.ts';

type By = 'day' | 'vendor' | 'model' | 'account';

export function ProfitBy() {
  const texts = useTexts();
  const own = useLedgerTexts();
  const format = useFormat();
  const address = useAddress();
  const by = (address.get('by') ?? 'day') as By;
  const from = useMemo(() => startOfLastDays(30), []);
  const read = useRead<typeof getProfit>('GET /api/admin/profit', { query: { by, from } }, { keep: true });
  const rows = read.data?.data;
  return (
    <Panel
      title={own.profitBy}
      aside={
        <>
          <Segments
            label={own.profitBy}
            value={by}
            onChange={(next) => address.set({ by: next })}
            options={(Object.keys(own.by) as By[]).map((id) => [id, own.by[id]] as const)}
          />
          <button
            type="button"
            className="btn small"
            disabled={rows === undefined}
            onClick={() =>
              downloadCsv(
                `profit-by-${by}.csv`,
                [by, 'requests', 'revenue', 'provider_cost', 'profit', 'unknown_cost'],
                (rows ?? []).map((row) => [
                  row.value,
                  row.requests,
                  row.revenue,
                  row.provider_cost,
                  row.profit,
                  row.unknown_cost,
                ]),
              )
            }
          >
            <Icon name="save" />
            <span dir="ltr">{texts.download}</span>
          </button>
        </>
      }
    >
      {read.error !== null && rows === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : (
        <Table
          label={own.profitBy}
          dense
          rows={by === 'day' && rows !== undefined ? [...rows].reverse() : rows}
          idOf={({ value }) => value}
          empty={<Empty title={texts.noRequests} text="" />}
          foot={read.data !== undefined && <Sum total={read.data.total} />}
          columns={[
            {
              id: 'value',
              head: own.by[by],
              fold: 'c1',
              cell: ({ value }) =>
                by === 'day' ? (
                  format.date(`${value.slice(0, 10)}T12:00:00Z`)
                ) : by === 'account' ? (
                  <AccountLink id={value} />
                ) : (
                  <Id value={value} />
                ),
            },
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
            {
              id: 'profit',
              head: own.profitColumn,
              number: true,
              fold: 'c4',
              cell: ({ profit }) => (
                <SaidAmount as={texts.profit} amount={profit} tone={profit.startsWith('-') ? 'bad' : ''} />
              ),
            },
            {
              id: 'margin',
              head: texts.margin,
              number: true,
              cell: ({ profit, revenue }) =>
                roughly(revenue) === 0 ? '—' : format.percent(roughly(profit) / roughly(revenue), 2),
            },
          ]}
        />
      )}
    </Panel>
  );
}

/** What all the rows come to. */
function Sum({ total }: { total: { revenue: string; profit: string } }) {
  const texts = useTexts();
  const own = useLedgerTexts();
  return (
    <>
      <span>{own.sum}</span>
      <span className="row wide">
        <span>
          {own.sold} <Amount value={total.revenue} unit />
        </span>
        <span>
          {texts.profit} <Amount value={total.profit} unit tone={total.profit.startsWith('-') ? 'bad' : ''} />
        </span>
      </span>
    </>
  );
}
