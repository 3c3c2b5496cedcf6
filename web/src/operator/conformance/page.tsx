/** What every route proved: those that fail something first, and the runs that asked. */

import type { beginConformanceRun, forgetConformance, getConformance } from '@dargah/api/admin/conformance.ts';
import { PROBE_NAMES } from '@dargah/core/probes.ts';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AmountCell, Moment } from '../../parts/figures.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useStaffMay } from '../may.ts';
import { useConformanceTexts } from './texts.ts';

const MATRIX = 'GET /api/admin/conformance';
/** While a run goes on its results come in one by one. */
const LOOK_AGAIN_MS = 3_000;
type Matrix = Result<typeof getConformance>;
type RouteRow = Matrix['routes'][number];

export default function ConformancePage() {
  const texts = useConformanceTexts();
  const matrix = useRead<typeof getConformance>(MATRIX, { query: {} });
  const isRunning = matrix.data?.runs.some(({ ending }) => ending === null) === true;
  const { refetch } = matrix;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void refetch(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isRunning, refetch]);
  if (matrix.error !== null && matrix.data === undefined)
    return <Trouble error={matrix.error} again={() => void matrix.refetch()} />;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        {matrix.data && <Begin budget={matrix.data.budget} isRunning={isRunning} />}
      </PageHead>
      <div className="stack">
        <Routes rows={matrix.data?.routes} />
        <Runs rows={matrix.data?.runs} />
      </div>
    </>
  );
}

function Begin({ budget, isRunning }: { budget: string; isRunning: boolean }) {
  const texts = useConformanceTexts();
  const format = useFormat();
  const toast = useToast();
  const may = useStaffMay<typeof beginConformanceRun>(['owner']);
  const begin = useChange<typeof beginConformanceRun>('POST /api/admin/conformance/runs', {
    stale: [MATRIX],
    done: () => toast({ text: texts.asked }),
  });
  if (budget === '0')
    return (
      <>
        <span className="dim">{texts.off}</span>
        <Link href="/operator/settings" className="btn">
          {texts.setBudget}
        </Link>
      </>
    );
  return (
    <>
      <span className="dim">{texts.budget(format.number(Number(budget)))}</span>
      {may && (
        <button
          type="button"
          className="btn"
          disabled={isRunning || begin.isPending}
          onClick={() => begin.mutate({ body: {} })}
        >
          {isRunning ? texts.running : texts.ask}
        </button>
      )}
    </>
  );
}

function Routes({ rows }: { rows: RouteRow[] | undefined }) {
  const texts = useConformanceTexts();
  const toast = useToast();
  const may = useStaffMay<typeof forgetConformance>(['owner']);
  const forget = useChange<typeof forgetConformance>('POST /api/admin/conformance/forget', {
    stale: [MATRIX],
    done: () => toast({ text: texts.forgotten }),
  });
  return (
    <Panel title={texts.routes}>
      <Table
        label={texts.routes}
        rows={rows}
        idOf={({ model, route }) => `${model} ${route}`}
        empty={<Empty title={texts.none} text={texts.noneText} />}
        columns={[
          {
            id: 'route',
            head: texts.route,
            fold: 'c1',
            cell: ({ model, route }) => (
              <>
                <Id value={model} />
                <span className="sub">
                  <Id value={route} />
                </span>
              </>
            ),
          },
          {
            id: 'results',
            head: texts.results,
            fold: 'c3',
            className: 'own-line',
            cell: ({ results }) => (results.length === 0 ? null : <Results results={results} />),
          },
          {
            id: 'asked',
            head: texts.lastAsked,
            fold: 'c2',
            className: 'mid nowrap',
            cell: ({ results }) => {
              const last = results
                .map(({ asked_at: at }) => at)
                .sort()
                .at(-1);
              return last === undefined ? texts.never : <Moment at={last} />;
            },
          },
          {
            id: 'acts',
            head: '',
            fold: 'c4',
            cell: ({ model, route, results }) =>
              may && results.length > 0 ? (
                <button
                  type="button"
                  className="btn small"
                  disabled={forget.isPending}
                  onClick={() => forget.mutate({ body: { model, route } })}
                >
                  {texts.forget}
                </button>
              ) : null,
          },
        ]}
      />
    </Panel>
  );
}

/** What failed stands out; what was proved is read beneath it. */
function Results({ results }: Pick<RouteRow, 'results'>) {
  const texts = useConformanceTexts();
  const { language } = useFormat();
  const failed = results.filter(({ verdict }) => verdict === 'failed');
  const passed = results.filter(({ verdict }) => verdict === 'passed').map(({ probe }) => PROBE_NAMES[probe][language]);
  return (
    <div className="stack gap-s">
      {failed.length > 0 && (
        <div className="row">
          {failed.map(({ probe, detail }) => (
            <span key={probe} title={detail ?? ''}>
              <Pill tone="bad">{PROBE_NAMES[probe][language]}</Pill>
            </span>
          ))}
        </div>
      )}
      {passed.length > 0 && (
        <p className="mid xs">
          {texts.proves} {passed.join(language === 'fa' ? '، ' : ', ')}
        </p>
      )}
    </div>
  );
}

function Runs({ rows }: { rows: Matrix['runs'] | undefined }) {
  const texts = useConformanceTexts();
  const format = useFormat();
  return (
    <Panel title={texts.runs}>
      <Table
        label={texts.runs}
        rows={rows}
        idOf={({ id }) => id}
        empty={<Empty title={texts.noRuns} text={texts.noRunsText} />}
        columns={[
          {
            id: 'when',
            head: texts.when,
            fold: 'c1',
            className: 'nowrap',
            cell: ({ started_at: at }) => <Moment at={at} />,
          },
          {
            id: 'what',
            head: texts.what,
            fold: 'c3',
            cell: ({ model, route }) => (model === null ? texts.all : <Id value={route ?? model} />),
          },
          { id: 'count', head: texts.count, number: true, spare: true, cell: ({ asked }) => format.number(asked) },
          { id: 'failed', head: texts.failed, number: true, spare: true, cell: ({ failed }) => format.number(failed) },
          {
            id: 'spent',
            head: texts.spent,
            number: true,
            fold: 'c2',
            cell: ({ spent }) => <AmountCell value={spent} />,
          },
          {
            id: 'ending',
            head: texts.ending,
            fold: 'c4',
            cell: ({ ending }) => (
              <Pill tone={ending === 'done' ? 'ok' : 'warn'}>
                {ending === null ? texts.running : texts.endings[ending]}
              </Pill>
            ),
          },
        ]}
      />
    </Panel>
  );
}
