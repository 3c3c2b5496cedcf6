/** What is out and what was, newest first. */

import type { listOutages } from '@dargah/api/admin/outages.ts';
import { Link } from 'wouter';
import { usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useTexts } from '../texts.ts';
import { OpenOutages } from './open-outages.tsx';
import { useOutageTexts } from './texts.ts';
import { WhoWasTold } from './told.tsx';
import type { Outage } from './use-open-outages.ts';

const MINUTE_MS = 60_000;

export default function OutagesPage() {
  const texts = useOutageTexts();
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Link href="/operator/staff/alerts" className="btn">
          {texts.myAlerts}
        </Link>
      </PageHead>
      <div className="stack">
        <OpenOutages all />
        <History />
      </div>
    </>
  );
}

function History() {
  const own = useOutageTexts();
  const texts = useTexts();
  const format = useFormat();
  const { language } = format;
  const list = usePages<typeof listOutages>('GET /api/admin/outages', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  const lasted = ({ opened_at: from, closed_at: to }: Outage) =>
    to === null
      ? '—'
      : own.minutes(format.number(Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / MINUTE_MS))));
  return (
    <Panel title={own.history}>
      <Table
        label={own.history}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={<Empty title={own.none} text={own.noneText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={[
          {
            id: 'since',
            head: own.since,
            fold: 'c3',
            className: 'mid nowrap',
            cell: ({ opened_at: at }) => <Moment at={at} />,
          },
          {
            id: 'what',
            head: own.what,
            fold: 'c1',
            cell: (row) => (
              <>
                {row.title[language]}{' '}
                <Id value={row.kind.startsWith('provider.') ? (row.provider ?? row.subject) : row.subject} />
              </>
            ),
          },
          {
            id: 'state',
            head: own.state,
            fold: 'c4',
            cell: ({ ending, closed_at: at, severity }) =>
              at === null ? (
                <Pill tone={severity === 'warning' ? 'warn' : 'bad'}>{own.isOpen}</Pill>
              ) : (
                <Pill tone={ending === 'quiet' ? 'warn' : 'ok'}>{own.endings[ending ?? 'recovered']}</Pill>
              ),
          },
          { id: 'lasted', head: own.lasted, spare: true, className: 'nowrap', cell: lasted },
          {
            id: 'provider',
            head: texts.provider,
            spare: true,
            cell: ({ provider }) => (provider === null ? '—' : <Id value={provider} />),
          },
          {
            id: 'accounts',
            head: own.accounts,
            number: true,
            spare: true,
            cell: ({ accounts }) => format.number(accounts),
          },
          {
            id: 'failed',
            head: own.failed,
            number: true,
            fold: 'c2',
            cell: ({ failed, kind, link }) =>
              kind === 'model.failing' ? <Link href={link}>{format.number(failed)}</Link> : '—',
          },
          { id: 'told', head: '', fold: 'c4', cell: ({ id }) => <WhoWasTold id={id} /> },
        ]}
      />
    </Panel>
  );
}
