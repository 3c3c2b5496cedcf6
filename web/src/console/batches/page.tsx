/** Batches: the list with its progress, and one of them with its files. */

import type { listOwnBatches } from '@dargah/api/console/batches.ts';
import { useLocation } from 'wouter';
import { usePages } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { usePreferences } from '../../preferences.tsx';
import { OneBatch } from './one-batch.tsx';
import { BatchState, Progress } from './progress.tsx';
import { useTexts } from './texts.ts';

export default function BatchesPage({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const { language } = usePreferences();
  const [, navigate] = useLocation();
  const list = usePages<typeof listOwnBatches>('GET /api/console/batches', { query: { limit: 50 } });
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <a className="btn" href={`/${language}/docs#createBatch`}>
          {texts.docs}
        </a>
      </PageHead>
      <div className="stack">
        {params.id !== undefined && <OneBatch key={params.id} id={params.id} />}
        <section className="panel" aria-label={texts.title}>
          {list.error !== null && list.rows === undefined ? (
            <Trouble error={list.error} again={() => void list.refetch()} />
          ) : (
            <Table
              label={texts.title}
              rows={list.rows}
              idOf={({ id }) => id}
              selected={params.id}
              onOpen={({ id }) => navigate(`/console/batches/${id}`)}
              skeleton={3}
              empty={<Empty title={texts.empty} text={texts.emptyText} />}
              foot={list.more ? <MoreButton more busy={list.loadingMore} onMore={list.onMore} /> : undefined}
              columns={[
                {
                  id: 'model',
                  head: texts.batch,
                  fold: 'c1',
                  // Two batches of the same kind are told apart by the end of their names.
                  cell: ({ id, model, endpoint }) => (
                    <>
                      <bdi className="strong" dir="ltr">
                        {model ?? endpoint}
                      </bdi>{' '}
                      <Id value={`…${id.slice(-6)}`} />
                    </>
                  ),
                },
                { id: 'state', head: texts.state, fold: 'c3', cell: (batch) => <BatchState batch={batch} /> },
                { id: 'progress', head: texts.progress, fold: 'c4', cell: (batch) => <Progress batch={batch} /> },
                {
                  id: 'cost',
                  head: texts.cost,
                  number: true,
                  fold: 'c2',
                  cell: ({ cost }) => <AmountCell value={cost} />,
                },
                {
                  id: 'created',
                  head: texts.created,
                  spare: true,
                  className: 'mid nowrap',
                  cell: ({ created_at: at }) => <Moment at={at} />,
                },
              ]}
            />
          )}
        </section>
      </div>
    </>
  );
}
