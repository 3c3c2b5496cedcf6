/** The proof of the books, every transfer, and profit by day, vendor, model and account. */
import { useLocation } from 'wouter';
import type { auditBooks, getTrialBalance } from '../../../../server/src/http/admin/routes/service.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Amount, CountOf, Moment } from '../../parts/figures.tsx';
import { PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useBookTexts } from '../book-texts.ts';
import { useTexts } from '../texts.ts';
import { ProfitBy } from './profit.tsx';
import { SaidAmount } from './said-amount.tsx';
import { useLedgerTexts } from './texts.ts';
import { BookedTransfers } from './transfers.tsx';

type Tab = 'books' | 'transfers' | 'profit';

export default function LedgerPage({ params }: { params: { tab?: string } }) {
  const texts = useTexts();
  const { tabs } = useLedgerTexts();
  const [, navigate] = useLocation();
  const tab = params.tab ?? 'books';
  return (
    <>
      <PageHead title={texts.nav.ledger}>
        <Segments
          label={texts.nav.ledger}
          value={tab as Tab}
          onChange={(next) => navigate(next === 'books' ? '/operator/ledger' : `/operator/ledger/${next}`)}
          options={(Object.keys(tabs) as Tab[]).map((id) => [id, tabs[id]] as const)}
        />
      </PageHead>
      {tab === 'transfers' ? (
        <BookedTransfers />
      ) : tab === 'profit' ? (
        <ProfitBy />
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
  const common = useTexts();
  const own = useLedgerTexts();
  const texts = useBookTexts();
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
        idOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            head: own.check,
            fold: 'c1',
            cell: ({ id, name }) => <bdi>{labelOf(texts.checks, id) ?? name}</bdi>,
          },
          {
            id: 'ok',
            head: common.state,
            fold: 'c2',
            cell: ({ ok }) => <Pill tone={ok ? 'ok' : 'bad'}>{ok ? texts.right : texts.wrong}</Pill>,
          },
          {
            id: 'detail',
            head: common.before,
            fold: 'c3',
            className: 'mid',
            // Good is quiet: what was looked for and not found is said by the state beside it.
            cell: ({ id, detail, ok }) => (!ok || id === 'books-read') && <bdi>{readOf(detail) ?? detail}</bdi>,
          },
        ]}
      />
    </Panel>
  );
}

/** What every book holds; the two sums are one number, or money came from nowhere. */
function Trial() {
  const common = useTexts();
  const texts = useBookTexts();
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
            cell: ({ book }) => labelOf(texts.books, book) ?? <Id value={book} />,
          },
          {
            id: 'accounts',
            head: common.count,
            number: true,
            fold: 'c3',
            cell: ({ accounts }) => <CountOf count={accounts} of="account" />,
          },
          {
            id: 'debit',
            head: texts.debit,
            number: true,
            fold: 'c2',
            cell: ({ debit }) => <SaidAmount as={texts.debitShort} amount={debit} />,
          },
          {
            id: 'credit',
            head: texts.credit,
            number: true,
            fold: 'c4',
            cell: ({ credit }) => <SaidAmount as={texts.creditShort} amount={credit} />,
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
