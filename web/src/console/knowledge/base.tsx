import type {
  deleteBase,
  deleteDocument,
  listBases,
  listDocuments,
  searchBase,
} from '@dargah/api/console/knowledge.ts';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useChange, usePages } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { usePassageTexts } from '../../texts/passage-texts.ts';
import { Adding, DOCUMENTS, STALE } from './adding.tsx';
import { Passages } from './passages.tsx';
import { useTexts } from './texts.ts';

type KnowledgeBase = Result<typeof listBases>['data'][number];
type Document = Result<typeof listDocuments>['data'][number];
const TONES: Record<string, Tone> = { queued: 'info', reading: 'info', embedding: 'info', ready: 'ok', failed: 'bad' };

export function Base({ base, mayWrite }: { base: KnowledgeBase; mayWrite: boolean }) {
  const texts = useTexts();
  const format = useFormat();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const remove = useChange<typeof deleteBase>('DELETE /api/console/knowledge-bases/:id', {
    stale: STALE,
    done: () => navigate('/console/knowledge'),
  });
  return (
    <section className="stack" aria-label={base.name}>
      <div className="page-head tight">
        <div>
          <h2>
            <bdi>{base.name}</bdi>
          </h2>
          <p className="mid">
            {texts.id} <Id value={base.id} copy boxed />
          </p>
        </div>
        <div className="row">
          <Link className="btn" href={`/console/playground?base=${encodeURIComponent(base.id)}`}>
            <Icon name="flask" />
            {texts.ask}
          </Link>
          {mayWrite && (
            <button type="button" className="btn danger" onClick={() => setAsking(true)}>
              {texts.deleteBase}
            </button>
          )}
        </div>
      </div>
      {mayWrite && <Adding id={base.id} />}
      <Documents id={base.id} mayWrite={mayWrite} />
      <SearchTest id={base.id} />
      {asking && (
        <Confirm
          title={texts.deleteAsk(base.name)}
          act={texts.remove}
          typed={base.name}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { id: base.id } })}
          onClose={() => setAsking(false)}
        >
          <p>{texts.deleteText(format.number(base.documents))}</p>
        </Confirm>
      )}
    </section>
  );
}

function Documents({ id, mayWrite }: { id: string; mayWrite: boolean }) {
  const texts = useTexts();
  const format = useFormat();
  const [asking, setAsking] = useState<Document>();
  const address = useAddress();
  const opened = address.get('document');
  const list = usePages<typeof listDocuments>(DOCUMENTS, { params: { id }, query: { limit: 100 } });
  const remove = useChange<typeof deleteDocument>('DELETE /api/console/knowledge-bases/:id/documents/:document', {
    stale: STALE,
    done: () => setAsking(undefined),
  });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <Panel title={texts.documentList}>
      <Table
        label={texts.documents}
        rows={list.rows}
        idOf={(document) => document.id}
        skeleton={3}
        empty={<p className="pad dim">{texts.noDocuments}</p>}
        foot={list.more ? <MoreButton more busy={list.loadingMore} onMore={list.onMore} /> : undefined}
        columns={[
          {
            id: 'name',
            head: texts.name,
            fold: 'c1',
            cell: ({ id: document, name, passages }) =>
              passages === 0 ? (
                <bdi>{name}</bdi>
              ) : (
                <button type="button" className="link" onClick={() => address.set({ document })}>
                  <bdi>{name}</bdi>
                </button>
              ),
          },
          {
            id: 'state',
            head: texts.state,
            fold: 'c4',
            cell: ({ state, progress, reason }) => (
              <span className="row">
                <Pill tone={TONES[state] ?? 'info'}>
                  {state === 'failed' && reason !== null ? reason : (labelOf(texts.states, state) ?? state)}
                </Pill>
                {(state === 'reading' || state === 'embedding') && (
                  <progress value={progress} max={100} aria-label={texts.states[state]} />
                )}
              </span>
            ),
          },
          {
            id: 'source',
            head: texts.source,
            spare: true,
            cell: ({ source }) => labelOf(texts.sources, source) ?? source,
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
            fold: 'c3',
            spare: true,
            className: 'nowrap',
            cell: ({ bytes }) => format.bytes(bytes),
          },
          {
            id: 'updated',
            head: texts.updated,
            className: 'mid nowrap',
            spare: true,
            cell: ({ updated_at: at }) => <Moment at={at} />,
          },
          {
            id: 'remove',
            head: '',
            fold: 'c2',
            cell: (document) =>
              mayWrite && (
                <button
                  type="button"
                  className="btn icon small"
                  aria-label={`${texts.remove} ${document.name}`}
                  onClick={() => setAsking(document)}
                >
                  <Icon name="trash" />
                </button>
              ),
          },
        ]}
      />
      {opened !== undefined && (
        <Passages
          base={id}
          document={opened}
          place={placeOf(address.get('passage'))}
          onStart={() => address.set({ passage: undefined })}
          onClose={() => address.set({ document: undefined, passage: undefined })}
        />
      )}
      {asking !== undefined && (
        <Confirm
          title={texts.removeAsk(asking.name)}
          act={texts.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { id, document: asking.id } })}
          onClose={() => setAsking(undefined)}
        >
          <p>{texts.removeText}</p>
        </Confirm>
      )}
    </Panel>
  );
}

/** Undefined for an address that names no passage of the document. */
function placeOf(written: string | undefined): number | undefined {
  const place = Number(written);
  return Number.isSafeInteger(place) && place > 0 && place < 1e9 ? place : undefined;
}

function SearchTest({ id }: { id: string }) {
  const texts = useTexts();
  const where = usePassageTexts();
  const format = useFormat();
  const [query, setQuery] = useState('');
  const search = useChange<typeof searchBase>('POST /api/console/knowledge-bases/:id/search');
  const found = search.data?.data;
  return (
    <Panel title={texts.search}>
      <Form
        className="pad stack gap-m"
        label={texts.search}
        onSubmit={() => search.mutate({ params: { id }, body: { query: query.trim() } })}
      >
        <p className="mid">{texts.searchLead}</p>
        <TextField label={texts.query} value={query} onChange={setQuery} dir="auto" />
        <div className="row">
          <button type="submit" className="btn" disabled={query.trim() === '' || search.isPending}>
            {texts.find}
          </button>
        </div>
      </Form>
      {found?.length === 0 && <p className="pad dim">{texts.noneFound}</p>}
      {found?.map((passage) => (
        <article key={passage.document_id + passage.text.slice(0, 40)} className="talk-line stack gap-s">
          <div className="row between">
            <h3>
              <bdi>{passage.title}</bdi>{' '}
              <span className="dim xs">
                {[passage.heading, passage.page === undefined ? undefined : where.page(format.number(passage.page))]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </h3>
            <span className="xs dim">
              {where.score} {format.number(passage.score, 3)} · {where.tokens(format.number(passage.tokens))}
            </span>
          </div>
          <p dir="auto">{passage.text}</p>
        </article>
      ))}
    </Panel>
  );
}
