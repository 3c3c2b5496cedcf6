/** The proof of the books, every transfer, and profit by day, vendor, model and account. */
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { getProfit } from '../../../../server/src/http/admin/routes/payments.ts';
import type { auditBooks, getTrialBalance } from '../../../../server/src/http/admin/routes/service.ts';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Amount, AmountCell, CountOf, Empty, Id, Moment, PageHead, Panel, Pill, Segments } from '../../parts/small.tsx';
import { downloadCsv, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { AccountLink } from '../account-link.tsx';
import { useBookWords } from '../book-words.ts';
import { useWords } from '../words.ts';
import { BookedTransfers } from './transfers.tsx';
import { useLedgerWords } from './words.ts';

type By = 'day' | 'vendor' | 'model' | 'account';

type Tab = 'books' | 'transfers' | 'profit';

export default function LedgerPage({ params }: { params: { tab?: string } }) {
  const words = useWords();
  const { tabs } = useLedgerWords();
  const [, navigate] = useLocation();
  const tab = params.tab ?? 'books';
  return (
    <>
      <PageHead title={words.nav.ledger}>
        <Segments
          label={words.nav.ledger}
          value={tab as Tab}
          onChange={(next) => navigate(next === 'books' ? '/operator/ledger' : `/operator/ledger/${next}`)}
          options={(Object.keys(tabs) as Tab[]).map((id) => [id, tabs[id]] as const)}
        />
      </PageHead>
      {tab === 'transfers' ? (
        <BookedTransfers />
      ) : tab === 'profit' ? (
        <Profit />
      ) : (
        <div className="stack">
          <Proof />
          <Trial />
        </div>
      )}
    </>
  );
}

function Proof() {
  const words = useWords();
  const own = useLedgerWords();
  const texts = useBookWords();
  const format = useFormat();
  const audit = useRead<typeof auditBooks>('GET /api/admin/audit', {});
  /** `122 transfers, 113 requests`: how much was read. */
  const readOf = (detail: string) => {
    const [, transfers, requests] = /^(\d+) transfers, (\d+) requests$/.exec(detail) ?? [];
    return transfers === undefined || requests === undefined
      ? undefined
      : texts.read(format.number(Number(transfers)), format.number(Number(requests)));
  };
  if (audit.error !== null && audit.data === undefined)
    return <Trouble error={audit.error} again={() => void audit.refetch()} />;
  return (
    <Panel
      title={own.proof}
      aside={
        <>
          {audit.data !== undefined && (
            <span className="xs dim">
              {own.lastProof} <Moment at={audit.dataUpdatedAt} />
            </span>
          )}
          <button type="button" className="btn small" disabled={audit.isFetching} onClick={() => void audit.refetch()}>
            {own.prove}
          </button>
        </>
      }
    >
      <p className="pad mid">{own.proofText}</p>
      <Table
        label={own.proof}
        dense
        rows={audit.data?.checks}
        idOf={({ name }) => name}
        columns={[
          {
            id: 'name',
            head: own.check,
            fold: 'c1',
            cell: ({ name }) => <bdi>{wordOf(texts.checks, name) ?? name}</bdi>,
          },
          {
            id: 'ok',
            head: words.state,
            fold: 'c2',
            cell: ({ ok }) => <Pill tone={ok ? 'ok' : 'bad'}>{ok ? texts.right : texts.wrong}</Pill>,
          },
          {
            id: 'detail',
            head: words.before,
            fold: 'c3',
            className: 'mid',
            // Good is quiet: what was looked for and not found is said by the state beside it.
            cell: ({ detail, ok }) =>
              !(ok && detail === 'nothing found against it') && (
                <bdi>{wordOf(texts.checks, detail) ?? readOf(detail) ?? detail}</bdi>
              ),
          },
        ]}
      />
    </Panel>
  );
}

/** What every book holds; the two sums are one number, or money came from nowhere. */
function Trial() {
  const words = useWords();
  const texts = useBookWords();
  const read = useRead<typeof getTrialBalance>('GET /api/admin/trial-balance', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <Panel title={texts.trial}>
      <Table
        label={texts.trial}
        dense
        rows={read.data?.books}
        idOf={({ book }) => book}
        columns={[
          {
            id: 'book',
            head: texts.book,
            fold: 'c1',
            cell: ({ book }) => wordOf(texts.books, book) ?? <Id value={book} />,
          },
          {
            id: 'accounts',
            head: words.count,
            number: true,
            fold: 'c3',
            cell: ({ accounts }) => <CountOf count={accounts} of="account" />,
          },
          {
            id: 'debit',
            head: texts.debit,
            number: true,
            fold: 'c2',
            cell: ({ debit }) => <Said as={texts.debitShort} amount={debit} />,
          },
          {
            id: 'credit',
            head: texts.credit,
            number: true,
            fold: 'c4',
            cell: ({ credit }) => <Said as={texts.creditShort} amount={credit} />,
          },
        ]}
      />
      {read.data !== undefined && (
        <p className="pad under row between">
          <Pill tone={read.data.debit === read.data.credit ? 'ok' : 'bad'}>
            {read.data.debit === read.data.credit ? texts.balanced : texts.unbalanced}
          </Pill>
          <b>
            <Amount value={read.data.credit} unit />
          </b>
        </p>
      )}
    </Panel>
  );
}

/** An amount in a column; where the row folds and two amounts stand above each other, each says which it is. */
function Said({ as, amount, tone }: { as: string; amount: string; tone?: string }) {
  return (
    <>
      <span className="cell-unit">
        <span className="unit">{as}</span>{' '}
      </span>
      <AmountCell value={amount} {...(tone === undefined ? {} : { tone })} />
    </>
  );
}

function Profit() {
  const words = useWords();
  const own = useLedgerWords();
  const format = useFormat();
  const address = useAddress();
  const by = (address.get('by') ?? 'day') as By;
  const from = useMemo(() => new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10), []);
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
            <span dir="ltr">{words.download}</span>
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
          empty={<Empty title={words.noRequests} text="" />}
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
              head: words.requests,
              number: true,
              fold: 'c3',
              cell: ({ requests }) => <CountOf count={requests} of="request" />,
            },
            {
              id: 'revenue',
              head: words.price,
              number: true,
              fold: 'c2',
              cell: ({ revenue }) => <Said as={own.sold} amount={revenue} />,
            },
            {
              id: 'cost',
              head: words.providerCost,
              number: true,
              cell: ({ provider_cost: cost }) => <AmountCell value={cost} />,
            },
            {
              id: 'profit',
              head: own.profitColumn,
              number: true,
              fold: 'c4',
              cell: ({ profit }) => (
                <Said as={words.profit} amount={profit} tone={profit.startsWith('-') ? 'bad' : ''} />
              ),
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

/** What all the rows come to. */
function Sum({ total }: { total: { revenue: string; profit: string } }) {
  const words = useWords();
  const own = useLedgerWords();
  return (
    <>
      <span>{own.sum}</span>
      <span className="row wide">
        <span>
          {own.sold} <Amount value={total.revenue} unit />
        </span>
        <span>
          {words.profit} <Amount value={total.profit} unit tone={total.profit.startsWith('-') ? 'bad' : ''} />
        </span>
      </span>
    </>
  );
}
