/** Knowledge bases: the list, and one base with its documents and a search to try. */

import type { createBase, listBases } from '@dargah/api/console/knowledge.ts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CountOf, Moment } from '../../parts/figures.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMayWrite } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { Base } from './base.tsx';
import { useTexts } from './texts.ts';

export default function KnowledgePage({ params }: { params: { id?: string } }) {
  const texts = useTexts();
  const format = useFormat();
  const mayWrite = useMayWrite();
  const [, navigate] = useLocation();
  const [making, setMaking] = useState(false);
  const read = useRead<typeof listBases>('GET /api/console/knowledge-bases', { query: { limit: 200 } });
  const chosen = read.data?.data.find(({ id }) => id === params.id);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        {mayWrite && (
          <button
            type="button"
            className={params.id === undefined ? 'btn main' : 'btn'}
            onClick={() => setMaking(true)}
          >
            <Icon name="plus" />
            {texts.create}
          </button>
        )}
      </PageHead>
      <div className="stack">
        <section className="panel" aria-label={texts.title}>
          {read.error !== null && read.data === undefined ? (
            <Trouble error={read.error} again={() => void read.refetch()} />
          ) : (
            <Table
              label={texts.title}
              rows={read.data?.data}
              idOf={({ id }) => id}
              selected={params.id}
              onOpen={({ id }) => navigate(`/console/knowledge/${id}`)}
              skeleton={2}
              empty={<Empty title={texts.empty} text={texts.emptyText} />}
              columns={[
                { id: 'name', head: texts.name, fold: 'c1', cell: ({ name }) => <bdi className="strong">{name}</bdi> },
                {
                  id: 'documents',
                  head: texts.documents,
                  number: true,
                  fold: 'c2',
                  cell: ({ documents }) => <CountOf count={documents} of="document" />,
                },
                {
                  id: 'passages',
                  head: texts.passages,
                  number: true,
                  spare: true,
                  cell: ({ passages }) => format.number(passages),
                },
                {
                  id: 'bytes',
                  head: texts.size,
                  fold: 'c4',
                  className: 'nowrap',
                  spare: true,
                  cell: ({ bytes }) => format.bytes(bytes),
                },
                {
                  id: 'updated',
                  head: texts.updated,
                  fold: 'c3',
                  className: 'mid nowrap',
                  cell: ({ updated_at: at }) => <Moment at={at} />,
                },
              ]}
            />
          )}
        </section>
        {chosen !== undefined && <Base key={chosen.id} base={chosen} mayWrite={mayWrite} />}
      </div>
      {making && (
        <NewBase
          onClose={(id) => {
            setMaking(false);
            if (id !== undefined) navigate(`/console/knowledge/${id}`);
          }}
        />
      )}
    </>
  );
}

function NewBase({ onClose }: { onClose(id?: string): void }) {
  const texts = useTexts();
  const shared = useShared();
  const [name, setName] = useState('');
  const [model, setModel] = useState('');
  const create = useChange<typeof createBase>('POST /api/console/knowledge-bases', {
    quiet: true,
    stale: ['GET /api/console/knowledge-bases'],
    done: ({ id }) => onClose(id),
  });
  return (
    <Dialog
      title={texts.create}
      onClose={() => onClose()}
      footer={
        <>
          <button type="button" className="btn" onClick={() => onClose()}>
            {shared.cancel}
          </button>
          <button type="submit" form="new-base" className="btn main" disabled={name.trim() === '' || create.isPending}>
            {texts.make}
          </button>
        </>
      }
    >
      <form
        id="new-base"
        className="stack gap-m"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({
            body: { name: name.trim(), ...(model.trim() === '' ? {} : { embedding_model: model.trim() }) },
          });
        }}
      >
        <TextField label={texts.nameLabel} value={name} onChange={setName} dir="auto" error={create.error?.message} />
        <TextField
          label={texts.embedding}
          hint={texts.embeddingHint}
          placeholder={texts.noEmbedding}
          value={model}
          onChange={setModel}
          dir="ltr"
        />
      </form>
    </Dialog>
  );
}
