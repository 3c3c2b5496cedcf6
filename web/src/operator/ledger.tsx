/** The proof of the books, and profit by day, vendor, model and account. */
import { useMemo } from 'react';
import type { getProfit } from '../../../server/src/http/admin/routes/payments.ts';
import type { auditBooks, getTrialBalance } from '../../../server/src/http/admin/routes/service.ts';
import { useAddress } from '../address.ts';
import { useRead } from '../api/read.ts';
import { roughly, useFormat } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Amount, AmountCell, Empty, Id, Moment, PageHead, Panel, Pill, Segments } from '../parts/small.tsx';
import { downloadCsv, Table } from '../parts/table.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useActWords } from './act-words.ts';
import { useWords } from './words.ts';

type By = 'day' | 'vendor' | 'model' | 'account';

export default function LedgerPage() {
  const words = useWords();
  return (
    <>
      <PageHead title={words.nav.ledger} />
      <div className="stack">
        <Proof />
        <Trial />
        <Profit />
      </div>
    </>
  );
}

function Proof() {
  const words = useWords();
  const acts = useActWords();
  const audit = useRead<typeof auditBooks>('GET /api/admin/audit', {});
  if (audit.error !== null) return <Trouble error={audit.error} again={() => void audit.refetch()} />;
  return (
    <Panel
      title={words.proof}
      aside={
        <>
          {audit.data !== undefined && (
            <span className="xs dim">
              <Moment at={audit.dataUpdatedAt} />
            </span>
          )}
          <button type="button" className="btn small" disabled={audit.isFetching} onClick={() => void audit.refetch()}>
            {words.prove}
          </button>
        </>
      }
    >
      <p className="pad mid">{words.proofText}</p>
      <Table
        label={words.proof}
        dense
        rows={audit.data?.checks}
        idOf={({ name }) => name}
        columns={[
          { id: 'name', head: words.check, fold: 'c1', cell: ({ name }) => <bdi>{acts.checks[name] ?? name}</bdi> },
          {
            id: 'ok',
            head: words.state,
            fold: 'c2',
            cell: ({ ok }) => <Pill tone={ok ? 'ok' : 'bad'}>{ok ? acts.right : acts.wrong}</Pill>,
          },
          {
            id: 'detail',
            head: words.before,
            fold: 'c3',
            className: 'mid',
            cell: ({ detail }) => <bdi>{acts.checks[detail] ?? detail}</bdi>,
          },
        ]}
      />
    </Panel>
  );
}

/** What every book holds; the two sums are one number, or money came from nowhere. */
function Trial() {
  const words = useWords();
  const acts = useActWords();
  const format = useFormat();
  const read = useRead<typeof getTrialBalance>('GET /api/admin/trial-balance', {});
  if (read.error !== null) return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <Panel title={acts.trial}>
      <Table
        label={acts.trial}
        dense
        rows={read.data?.books}
        idOf={({ book }) => book}
        columns={[
          { id: 'book', head: acts.book, fold: 'c1', cell: ({ book }) => acts.books[book] ?? <Id value={book} /> },
          {
            id: 'accounts',
            head: words.count,
            number: true,
            fold: 'c3',
            cell: ({ accounts }) => format.number(accounts),
          },
          {
            id: 'debit',
            head: acts.debit,
            number: true,
            fold: 'c2',
            cell: ({ debit }) => <AmountCell value={debit} />,
          },
          {
            id: 'credit',
            head: acts.credit,
            number: true,
            fold: 'c4',
            cell: ({ credit }) => <AmountCell value={credit} />,
          },
        ]}
      />
      {read.data !== undefined && (
        <p className="pad under row between">
          <Pill tone={read.data.debit === read.data.credit ? 'ok' : 'bad'}>
            {read.data.debit === read.data.credit ? acts.balanced : acts.unbalanced}
          </Pill>
          <b>
            <Amount value={read.data.credit} unit />
          </b>
        </p>
      )}
    </Panel>
  );
}

function Profit() {
  const words = useWords();
  const format = useFormat();
  const address = useAddress();
  const by = (address.get('by') ?? 'day') as By;
  const from = useMemo(() => new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10), []);
  const read = useRead<typeof getProfit>('GET /api/admin/profit', { query: { by, from } }, { keep: true });
  const rows = read.data?.data;
  return (
    <Panel
      title={words.profitBy}
      aside={
        <>
          <Segments
            label={words.profitBy}
            value={by}
            onChange={(next) => address.set({ by: next })}
            options={(Object.keys(words.by) as By[]).map((id) => [id, words.by[id]] as const)}
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
            <span dir="ltr">{words.download}</span>
          </button>
        </>
      }
    >
      {read.error !== null && rows === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : (
        <Table
          label={words.profitBy}
          dense
          rows={rows}
          idOf={({ value }) => value}
          empty={<Empty title={words.noRequests} text="" />}
          columns={[
            {
              id: 'value',
              head: words.by[by],
              fold: 'c1',
              cell: ({ value }) =>
                by === 'day' ? format.date(`${value.slice(0, 10)}T12:00:00Z`) : <Id value={value} />,
            },
            {
              id: 'requests',
              head: words.requests,
              number: true,
              fold: 'c3',
              cell: ({ requests }) => format.number(requests),
            },
            {
              id: 'revenue',
              head: words.price,
              number: true,
              fold: 'c2',
              cell: ({ revenue }) => <AmountCell value={revenue} />,
            },
            {
              id: 'cost',
              head: words.cost,
              number: true,
              cell: ({ provider_cost: cost }) => <AmountCell value={cost} />,
            },
            {
              id: 'profit',
              head: words.profit,
              number: true,
              fold: 'c4',
              cell: ({ profit }) => <AmountCell value={profit} tone={profit.startsWith('-') ? 'bad' : ''} />,
            },
            {
              id: 'margin',
              head: words.margin,
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
