/** Credit by hand that has no paper yet. */

import type { listUndocumented } from '@dargah/api/admin/bills.ts';
import type { bookDocument } from '@dargah/api/admin/documents.ts';
import { useState } from 'react';
import type { Result } from '../../../api/call.ts';
import { usePages } from '../../../api/read.ts';
import { Actor } from '../../../parts/audit-log-table.tsx';
import { AmountCell, Moment } from '../../../parts/figures.tsx';
import { Empty, Panel } from '../../../parts/page-frame.tsx';
import { type Column, MoreButton, Table } from '../../../parts/table.tsx';
import { Trouble } from '../../../parts/trouble.tsx';
import { AccountLink } from '../../account-link.tsx';
import { useStaffMay } from '../../may.ts';
import { ClearDialog } from './clear.tsx';
import { useDocumentTexts } from './texts.ts';

type Entry = Result<typeof listUndocumented>['data'][number];

export function Undocumented() {
  const texts = useDocumentTexts();
  const [clearing, setClearing] = useState<Entry>();
  const mayBook = useStaffMay<typeof bookDocument>(['owner', 'finance']);
  const list = usePages<typeof listUndocumented>('GET /api/admin/undocumented', { query: { limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  const columns: Column<Entry>[] = [
    { id: 'time', head: texts.time, fold: 'c3', className: 'mid', cell: ({ created_at: at }) => <Moment at={at} /> },
    {
      id: 'account',
      head: texts.account,
      fold: 'c1',
      cell: ({ account_id: id, note }) => (
        <>
          {id === null ? '—' : <AccountLink id={id} />}
          {note !== null && (
            <span className="sub">
              <bdi>{note}</bdi>
            </span>
          )}
        </>
      ),
    },
    { id: 'amount', head: texts.amount, number: true, fold: 'c2', cell: ({ amount }) => <AmountCell value={amount} /> },
    {
      id: 'by',
      head: texts.by,
      className: 'mid',
      cell: ({ actor, actor_name: name }) =>
        actor === null ? texts.unknownMaker : <Actor actor={actor} name={name} forCustomer={false} />,
    },
    {
      id: 'act',
      head: '',
      fold: 'c4',
      cell: (entry) =>
        mayBook && !entry.amount.startsWith('-') ? (
          <button type="button" className="btn small" onClick={() => setClearing(entry)}>
            {texts.clear}
          </button>
        ) : null,
    },
  ];
  return (
    <Panel label={texts.tabs.undocumented}>
      <Table
        label={texts.tabs.undocumented}
        rows={list.rows}
        idOf={({ id }) => id}
        empty={<Empty title={texts.noUndocumented} text={texts.undocumentedText} />}
        foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
        columns={columns}
      />
      {clearing !== undefined && <ClearDialog entry={clearing} onClose={() => setClearing(undefined)} />}
    </Panel>
  );
}
