/** The service itself: this replica, its database and counters, the way of charges, its connections, and its siblings. */

import type { forgetReplica, listReplicas } from '@dargah/api/admin/replicas.ts';
import type { getHealth } from '@dargah/api/admin/service.ts';
import { useState } from 'react';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Code, Id } from '../../parts/copyable.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { type Fact, FactList } from '../../parts/fact-list.tsx';
import { Amount } from '../../parts/figures.tsx';
import { PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { DeadLetters } from './dead-letters.tsx';
import { useSystemTexts } from './texts.ts';

interface Health {
  version?: string;
  schema?: number;
  draining?: boolean;
  overloaded?: boolean;
  running_requests?: number;
  database?: string;
  database_kind?: 'embedded' | 'postgres';
  admission?: { mode?: string; replicas?: number };
  journal?: { depth?: number; accepting?: boolean; bytes?: number; segments?: number; set_aside?: number };
  poster?: { posted?: number; consecutive_failures?: number };
  upstream?: { running?: number; connected?: number; queued?: number };
}

export default function SystemPage() {
  const common = useTexts();
  const texts = useSystemTexts();
  const format = useFormat();
  const read = useRead<typeof getHealth>('GET /api/admin/health', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const health: Health = read.data ?? {};
  const { journal = {}, poster = {}, upstream = {}, admission = {} } = health;
  const count = (value: number | undefined) => format.number(value ?? 0);
  const said = (tone: Tone, text: string) => <Pill tone={tone}>{text}</Pill>;
  const wrongIf = (value: boolean | undefined) =>
    said(value === true ? 'warn' : 'ok', value === true ? texts.yes : texts.no);
  const mode = admission.mode ?? '';
  return (
    <>
      <PageHead title={common.nav.system}>
        <button type="button" className="btn" onClick={() => void read.refetch()}>
          {texts.again}
        </button>
      </PageHead>
      <div className="stack">
        <section className="panel" aria-label={common.nav.system}>
          <div className="cut pair-cut">
            <Facts
              title={texts.process}
              rows={[
                [texts.version, <Id key="version" value={health.version ?? '—'} />],
                [texts.schema, <Id key="schema" value={schemaName(health.schema)} />],
                [texts.now, count(health.running_requests)],
                [texts.busy, wrongIf(health.overloaded)],
                [texts.draining, wrongIf(health.draining)],
                [
                  texts.database,
                  said(health.database === 'ok' ? 'ok' : 'bad', labelOf(texts.databases, health.database ?? '') ?? '—'),
                ],
                [texts.databaseKind, labelOf(texts.databaseKinds, health.database_kind ?? '') ?? '—'],
                [
                  texts.admission,
                  <span key="mode" className={mode === 'degraded' ? 'bad' : undefined}>
                    {labelOf(texts.modes, mode) ?? mode}
                  </span>,
                ],
              ]}
            />
            <Facts
              title={texts.records}
              rows={[
                [texts.depth, count(journal.depth)],
                [
                  texts.accepting,
                  said(journal.accepting === false ? 'bad' : 'ok', journal.accepting === false ? texts.no : texts.yes),
                ],
                [texts.onDisk, format.bytes(journal.bytes ?? 0)],
                [texts.segments, count(journal.segments)],
                [texts.deadLetters, said((journal.set_aside ?? 0) > 0 ? 'bad' : 'ok', count(journal.set_aside))],
                [texts.posted, count(poster.posted)],
                [
                  texts.failures,
                  said((poster.consecutive_failures ?? 0) > 0 ? 'warn' : 'ok', count(poster.consecutive_failures)),
                ],
              ]}
            />
          </div>
          <div className="pad under stack gap-m">
            <h2>{texts.upstream}</h2>
            <div className="row wide">
              {(
                [
                  [texts.running, upstream.running],
                  [texts.connected, upstream.connected],
                  [texts.queued, upstream.queued],
                ] as const
              ).map(([name, value]) => (
                <span key={name}>
                  <span className="dim">{name}</span> {count(value)}
                </span>
              ))}
            </div>
          </div>
        </section>
        {(journal.set_aside ?? 0) > 0 && <DeadLetters />}
        <Replicas />
        {health.database_kind !== undefined && (
          <Panel title={texts.backups}>
            <div className="pad stack gap-m">
              <p className="text">{texts.backupOf[health.database_kind]}</p>
              <p className="mid text">{texts.backupTogether}</p>
              {health.database_kind === 'postgres' && (
                <Code text={'pg_dump --format=custom --file=dargah.dump "$DATABASE_URL"'} />
              )}
            </div>
          </Panel>
        )}
      </div>
    </>
  );
}

/** The version in the form in which migrations are numbered. */
function schemaName(number: number | undefined): string {
  return number === undefined ? '—' : String(number).padStart(4, '0');
}

function Facts({ title, rows }: { title: string; rows: readonly Fact[] }) {
  return (
    <div className="pad stack gap-m">
      <h2>{title}</h2>
      <FactList facts={rows} />
    </div>
  );
}

function Replicas() {
  const texts = useSystemTexts();
  const common = useTexts();
  const toast = useToast();
  const [gone, setGone] = useState<string>();
  const rows = useRead<typeof listReplicas>('GET /api/admin/replicas', {}).data?.data;
  const mayForget = useStaffMay<typeof forgetReplica>(['owner']);
  const forget = useChange<typeof forgetReplica>('DELETE /api/admin/replicas/:id', {
    stale: ['GET /api/admin/replicas'],
    done() {
      setGone(undefined);
      toast({ text: texts.forgotten });
    },
  });
  return (
    <Panel title={texts.replicas}>
      <Table
        label={texts.replicas}
        dense
        rows={rows}
        idOf={({ id }) => id}
        skeleton={1}
        empty={<p className="pad dim">{texts.noReplicas}</p>}
        columns={[
          { id: 'id', head: texts.replica, fold: 'c1', cell: ({ id }) => <Id value={id} /> },
          {
            id: 'state',
            head: common.state,
            fold: 'c2',
            cell: ({ living }) => <Pill tone={living ? 'ok' : 'bad'}>{living ? texts.living : texts.dead}</Pill>,
          },
          {
            id: 'held',
            head: texts.holds,
            fold: 'c3',
            cell: ({ outstanding }) => outstanding !== null && <Amount value={outstanding} />,
          },
          {
            id: 'act',
            head: '',
            fold: 'c4',
            cell: ({ id, living }) =>
              mayForget &&
              !living && (
                <button type="button" className="btn small" onClick={() => setGone(id)}>
                  {texts.forget}
                </button>
              ),
          },
        ]}
      />
      {gone !== undefined && (
        <Confirm
          title={texts.forget}
          act={texts.forget}
          busy={forget.isPending}
          onConfirm={() => forget.mutate({ params: { id: gone } })}
          onClose={() => setGone(undefined)}
        >
          <p>{texts.forgetText}</p>
        </Confirm>
      )}
    </Panel>
  );
}
