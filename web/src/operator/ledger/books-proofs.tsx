/** Proofs of the books: what is known, the checks of one run, all runs, and the days that are sealed. */

import type { getBooksProof, listBooksProofs, listSealedDays, startBooksProof } from '@dargah/api/admin/proofs.ts';
import { CHECK_NAMES } from '@dargah/core/check-names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import type { Result } from '../../api/call.ts';
import { forget, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useLanguage } from '../../texts/dictionary.tsx';
import { useBooksSentence, useBooksState } from '../books-pill.tsx';
import { useBooksTexts } from '../books-texts.ts';
import { useStaffMay } from '../may.ts';

type Run = Result<typeof getBooksProof>;
type Check = Run['checks'][number];

const STALE = [
  'GET /api/admin/proofs',
  'GET /api/admin/proofs/:id',
  'GET /api/admin/books-state',
  'GET /api/admin/sealed-days',
];
const ASK_AGAIN_MS = 2_000;
const RESULT_TONES: Record<Check['result'], Tone> = { ok: 'ok', failed: 'bad', nothing: 'off' };
const DIGEST_LETTERS = 12;

export function BooksProofs() {
  const asked = new URLSearchParams(useSearch()).get('run');
  const [chosen, setChosen] = useState<string>();
  const runs = useRead<typeof listBooksProofs>('GET /api/admin/proofs', { query: { limit: 20 } });
  const running = runs.data?.data.find(({ state }) => state === 'running');
  const { refetch } = runs;
  const isRunning = running !== undefined;
  const client = useQueryClient();
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void refetch(), ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      // The run has ended, so everything that shows its result is read again.
      forget(client, STALE);
    };
  }, [isRunning, refetch, client]);
  if (runs.error !== null && runs.data === undefined)
    return <Trouble error={runs.error} again={() => void refetch()} />;
  const id = chosen ?? asked ?? runs.data?.data.find(({ state }) => state === 'ended')?.id;
  const known = runs.data?.data.find((run) => run.id === id);
  return (
    <div className="stack">
      <Now running={running} onStarted={setChosen} />
      {id !== undefined && <Checks id={id} known={known} />}
      <Runs runs={runs.data?.data} selected={id} onChoose={setChosen} />
      <Days />
    </div>
  );
}

function Now({ running, onStarted }: { running: Run | undefined; onStarted(id: string): void }) {
  const texts = useBooksTexts();
  const format = useFormat();
  const toast = useToast();
  const sentence = useBooksSentence();
  const state = useBooksState().data;
  const may = useStaffMay<typeof startBooksProof>(['owner', 'finance']);
  const start = useChange<typeof startBooksProof>('POST /api/admin/proofs', {
    stale: STALE,
    done({ id }) {
      onStarted(id);
      toast({ text: texts.started });
    },
  });
  return (
    <Panel
      title={texts.title}
      aside={
        may && (
          <button
            type="button"
            className="btn small"
            disabled={running?.kind === 'whole' || start.isPending}
            onClick={() => start.mutate({})}
          >
            {running?.kind === 'whole' ? texts.running : texts.start}
          </button>
        )
      }
    >
      <p className="pad mid">{texts.lead}</p>
      {state !== undefined && (
        <p className="pad under">
          <b>{texts.state[state.state]}</b> <span className="mid">{sentence(state)}</span>
        </p>
      )}
      {running !== undefined && (
        <p className="pad under mid" aria-live="polite">
          {running.rows_expected === 0
            ? texts.rowsOnly(format.number(running.rows_read))
            : texts.rows(format.number(running.rows_read), format.number(running.rows_expected))}
        </p>
      )}
    </Panel>
  );
}

function Checks({ id, known }: { id: string; known: Run | undefined }) {
  const texts = useBooksTexts();
  const language = useLanguage();
  const read = useRead<typeof getBooksProof>(
    'GET /api/admin/proofs/:id',
    { params: { id } },
    { enabled: known === undefined },
  );
  const run = known ?? read.data;
  if (run !== undefined && run.checks.length === 0 && run.reason === null) return null;
  return (
    <Panel
      title={texts.checks}
      aside={
        run !== undefined && (
          <span className="xs dim">
            {texts.kinds[run.kind]} · <Moment at={run.ended_at ?? run.started_at} exact />
          </span>
        )
      }
    >
      {run?.reason != null && <p className="pad mid">{texts.because(run.reason)}</p>}
      <Table
        label={texts.checks}
        dense
        rows={run?.checks}
        idOf={(check) => check.id}
        columns={[
          {
            id: 'name',
            head: texts.check,
            fold: 'c1',
            cell: (check) => <bdi>{CHECK_NAMES[check.id]?.[language] ?? check.name}</bdi>,
          },
          {
            id: 'result',
            head: texts.result,
            fold: 'c2',
            cell: ({ result }) => <Pill tone={RESULT_TONES[result]}>{texts.results[result]}</Pill>,
          },
          {
            id: 'detail',
            head: texts.found,
            fold: 'c3',
            className: 'mid',
            // A passed check needs no detail, because the result beside it says so.
            cell: ({ detail, result }) => result === 'failed' && <bdi>{detail}</bdi>,
          },
        ]}
      />
    </Panel>
  );
}

function Runs(props: { runs: Run[] | undefined; selected: string | undefined; onChoose(id: string): void }) {
  const texts = useBooksTexts();
  const format = useFormat();
  const said = ({ state, ok }: Run): [Tone, string] => {
    if (state !== 'ended') return [state === 'running' ? 'info' : 'warn', texts.runStates[state]];
    return ok === true ? ['ok', texts.agrees] : ['bad', texts.disagrees];
  };
  return (
    <Panel title={texts.runs}>
      <Table
        label={texts.runs}
        dense
        rows={props.runs}
        idOf={({ id }) => id}
        selected={props.selected}
        onOpen={({ id }) => props.onChoose(id)}
        empty={<p className="pad dim">{texts.noRuns}</p>}
        columns={[
          { id: 'kind', head: texts.kind, fold: 'c1', cell: ({ kind }) => texts.kinds[kind] },
          {
            id: 'state',
            head: texts.result,
            fold: 'c2',
            cell: (run) => {
              const [tone, word] = said(run);
              return <Pill tone={tone}>{word}</Pill>;
            },
          },
          { id: 'started', head: texts.startedAt, fold: 'c3', cell: (run) => <Moment at={run.started_at} exact /> },
          {
            id: 'took',
            head: texts.took,
            number: true,
            cell: (run) =>
              run.ended_at !== null && format.seconds(Date.parse(run.ended_at) - Date.parse(run.started_at)),
          },
          { id: 'rows', head: texts.read, number: true, cell: (run) => texts.rowsOnly(format.number(run.rows_read)) },
          {
            id: 'by',
            head: texts.by,
            fold: 'c4',
            cell: (run) => (run.asked_by === 'schedule' ? texts.schedule : <Id value={run.asked_by} />),
          },
        ]}
      />
    </Panel>
  );
}

function Days() {
  const texts = useBooksTexts();
  const format = useFormat();
  const days = useRead<typeof listSealedDays>('GET /api/admin/sealed-days', { query: { limit: 31 } });
  return (
    <Panel title={texts.days}>
      <p className="pad mid">{texts.daysText}</p>
      <Table
        label={texts.days}
        dense
        rows={days.data?.data}
        idOf={({ day }) => day}
        empty={<p className="pad dim">{texts.noDays}</p>}
        columns={[
          { id: 'day', head: texts.day, fold: 'c1', cell: ({ day }) => format.date(day) },
          {
            id: 'state',
            head: texts.result,
            fold: 'c2',
            cell: ({ broken }) => <Pill tone={broken ? 'bad' : 'ok'}>{broken ? texts.broken : texts.whole}</Pill>,
          },
          { id: 'transfers', head: texts.transfers, number: true, cell: (one) => format.number(one.transfers) },
          { id: 'late', head: texts.late, number: true, cell: (one) => one.late > 0 && format.number(one.late) },
          { id: 'requests', head: texts.requests, number: true, cell: (one) => format.number(one.requests) },
          {
            id: 'charged',
            head: texts.charged,
            number: true,
            fold: 'c4',
            cell: (one) => <AmountCell value={one.charged} />,
          },
          {
            id: 'read',
            head: texts.readAt,
            fold: 'c3',
            cell: (one) => one.read_at !== null && <Moment at={one.read_at} />,
          },
          {
            id: 'digest',
            head: texts.digest,
            cell: ({ digest }) => (
              <code dir="ltr" title={digest}>
                {digest.slice(0, DIGEST_LETTERS)}
              </code>
            ),
          },
        ]}
      />
    </Panel>
  );
}
