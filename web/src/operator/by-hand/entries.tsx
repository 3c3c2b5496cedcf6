/** What staff booked by hand, newest first. */

import type { listHandEntries } from '@dargah/api/admin/by-hand.ts';
import type { Result } from '../../api/call.ts';
import { usePages } from '../../api/read.ts';
import { Actor } from '../../parts/audit-log-table.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { type Column, MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { AccountLink } from '../account-link.tsx';
import { useHandTexts } from './texts.ts';

type Entry = Result<typeof listHandEntries>['data'][number];

export function HandEntries() {
  const texts = useHandTexts();
  const list = usePages<typeof listHandEntries>('GET /api/admin/credit/entries', { query: { limit: 50 } });
  const columns = useEntryColumns();
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Panel label={texts.tabs.entries}>
      <Table
        label={texts.tabs.entries}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={<Empty title={texts.noEntries} text={texts.noEntriesText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={columns}
      />
    </Panel>
  );
}

function useEntryColumns(): Column<Entry>[] {
  const texts = useHandTexts();
  return [
    {
      id: 'time',
      head: texts.time,
      fold: 'c3',
      className: 'mid nowrap',
      cell: ({ created_at: at }) => <Moment at={at} />,
    },
    {
      id: 'what',
      head: texts.what,
      fold: 'c1',
      cell: ({ kind, note, reason }) => (
        <>
          <span className="strong">{texts.kinds[kind]}</span>
          <span className="sub">
            <bdi>{note ?? (reason === null ? '' : (texts.reasons[reason as 'other'] ?? reason))}</bdi>
          </span>
        </>
      ),
    },
    {
      id: 'account',
      head: texts.account,
      cell: ({ account_id: id }) => (id === null ? '—' : <AccountLink id={id} />),
    },
    { id: 'amount', head: texts.amount, number: true, fold: 'c2', cell: ({ amount }) => <AmountCell value={amount} /> },
    {
      id: 'by',
      head: texts.by,
      fold: 'c4',
      cell: ({ actor, actor_name: name, approved_by_name: approver, alone }) => (
        <>
          <Actor actor={actor} name={name} forCustomer={false} />
          {alone ? (
            <span className="sub">{texts.alone}</span>
          ) : (
            approver !== null && <span className="sub">{texts.approvedBy(approver)}</span>
          )}
        </>
      ),
    },
  ];
}
