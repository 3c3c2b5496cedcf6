/** One paper with its lines and its files. */

import type { getDocument } from '@dargah/api/admin/documents.ts';
import { useRead } from '../../../api/read.ts';
import { useFormat } from '../../../format.ts';
import { Id } from '../../../parts/copyable.tsx';
import { Drawer } from '../../../parts/drawer.tsx';
import { AmountCell, Moment } from '../../../parts/figures.tsx';
import { Table } from '../../../parts/table.tsx';
import { Trouble } from '../../../parts/trouble.tsx';
import { BookName } from '../../book-name.tsx';
import { DocumentFiles } from './files.tsx';
import { Party, useKindName } from './party.tsx';
import { useDocumentTexts } from './texts.ts';

export function OpenedDocument({ id, onClose }: { id: string; onClose(): void }) {
  const texts = useDocumentTexts();
  const format = useFormat();
  const nameOf = useKindName();
  const read = useRead<typeof getDocument>('GET /api/admin/documents/:id', { params: { id } });
  const paper = read.data;
  return (
    <Drawer title={paper === undefined ? <Id value={id} /> : nameOf(paper.kind)} onClose={onClose}>
      {read.error !== null && paper === undefined && <Trouble error={read.error} again={() => void read.refetch()} />}
      {paper !== undefined && (
        <div className="pad stack gap-m">
          <dl className="facts">
            <dt>{texts.id}</dt>
            <dd>
              <Id value={paper.id} />
            </dd>
            <dt>{texts.dated}</dt>
            <dd>{format.date(`${paper.dated_on}T12:00:00Z`)}</dd>
            <dt>{texts.number}</dt>
            <dd>{paper.number === null ? '—' : <bdi>{paper.number}</bdi>}</dd>
            <dt>{texts.party}</dt>
            <dd>{paper.party === null ? '—' : <Party party={paper.party} />}</dd>
            <dt>{texts.time}</dt>
            <dd>
              <Moment at={paper.created_at} exact />
            </dd>
            {paper.note !== null && (
              <>
                <dt>{texts.fields.note}</dt>
                <dd>
                  <bdi>{paper.note}</bdi>
                </dd>
              </>
            )}
          </dl>
          <Table
            label={texts.lines}
            dense
            rows={paper.lines}
            idOf={(line) => line.id}
            columns={[
              { id: 'debit', head: texts.debit, fold: 'c1', cell: ({ debit }) => <BookName book={debit} /> },
              { id: 'credit', head: texts.credit, fold: 'c3', cell: ({ credit }) => <BookName book={credit} /> },
              {
                id: 'amount',
                head: texts.amount,
                number: true,
                fold: 'c2',
                cell: ({ amount, units, unit }) => (
                  <>
                    <AmountCell value={amount} />
                    {units !== null && (
                      <span className="sub">
                        <bdi>
                          {units} {unit}
                        </bdi>
                      </span>
                    )}
                  </>
                ),
              },
            ]}
          />
          <DocumentFiles id={paper.id} files={paper.files} />
        </div>
      )}
    </Drawer>
  );
}
