/** Charges that the database can never take: they wait in the journal of this replica for a person. Shown only where there are some. */
import type { listSetAside } from '../../../../server/src/http/admin/routes/service.ts';
import { useRead } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { useSystemTexts } from './texts.ts';

export function DeadLetters() {
  const texts = useSystemTexts();
  const rows = useRead<typeof listSetAside>('GET /api/admin/charges/set-aside', {}).data?.data;
  return (
    <Panel title={texts.deadLetters}>
      <p className="pad mid text">{texts.deadLettersText}</p>
      <Table
        label={texts.deadLetters}
        dense
        rows={rows}
        idOf={({ id, set_aside_at: at }) => `${id} ${at}`}
        skeleton={1}
        empty={<p className="pad dim">—</p>}
        columns={[
          { id: 'id', head: texts.request, fold: 'c1', cell: ({ id }) => (id === null ? '—' : <Id value={id} copy />) },
          {
            id: 'time',
            head: texts.deadLetteredAt,
            fold: 'c2',
            className: 'mid nowrap',
            cell: ({ set_aside_at: at }) => (at === null ? '—' : <Moment at={at} />),
          },
          { id: 'reason', head: texts.deadLetterReason, fold: 'c4', cell: ({ reason }) => <bdi>{reason ?? '—'}</bdi> },
        ]}
      />
    </Panel>
  );
}
