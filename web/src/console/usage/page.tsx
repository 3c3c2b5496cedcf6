/** Spend, tokens, requests, cache, errors and times, over time and by what caused them. */
import { useMemo } from 'react';
import type { listKeys } from '../../../../server/src/http/console/routes/keys.ts';
import type { getUsageBreakdown, getUsageSeries } from '../../../../server/src/http/console/routes/usage.ts';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Chart, type Series } from '../../parts/chart.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Amount, AmountCell, Empty, Id, PageHead, Segments, vars } from '../../parts/small.tsx';
import { downloadCsv, Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useRequestWords } from '../../words/request-words.ts';
import { useShared } from '../../words/shared.ts';
import { useWords } from './words.ts';

type Grouping = 'model' | 'key' | 'endpoint' | 'user' | 'state' | 'error';
type Point = Result<typeof getUsageSeries>['data'][number];

export default function UsagePage() {
  const words = useWords();
  const shared = useShared();
  const format = useFormat();
  const address = useAddress();
  const days = address.get('days') ?? '30';
  const query = useQuery(days);
  const series = useRead<typeof getUsageSeries>('GET /api/console/usage/series', { query }, { keep: true });
  const keys = useRead<typeof listKeys>('GET /api/console/keys', { query: {} }).data?.data ?? [];
  const models =
    useRead<typeof getUsageBreakdown>('GET /api/console/usage/breakdown', { query: { by: 'model' } }).data?.data ?? [];
  const points = series.data?.data ?? [];
  const total = series.data?.total;
  const labels = {
    points: points.map(({ start }) => start),
    label: (at: string) =>
      query.interval === 'hour'
        ? format.clock(at).slice(0, 5)
        : query.interval === 'month'
          ? format.month(at)
          : format.monthDay(at),
    lastIsOpen: true,
  };
  const of = (
    id: string,
    name: string,
    read: (point: Point) => number | null,
    exact?: (point: Point) => string,
  ): Series => ({
    id,
    name,
    values: points.map(read),
    ...(exact === undefined ? {} : { exact: points.map(exact) }),
  });
  const count = (value: number) => format.number(value, value < 10 ? 2 : 0);
  return (
    <>
      <PageHead title={words.title} lead={words.lead}>
        <Segments
          label={words.period}
          value={days}
          onChange={(next) => address.set({ days: next })}
          options={['1', '7', '30', '90', '365'].map((id) => [id, words.periods[id] ?? id] as const)}
        />
      </PageHead>
      <div className="filters">
        <Filter name="key" label={words.filterKey} options={keys.map(({ id, name }) => [id, name] as const)} />
        <Filter name="model" label={words.filterModel} options={models.map(({ value }) => [value, value] as const)} />
      </div>
      {series.error !== null && series.data === undefined ? (
        <Trouble error={series.error} again={() => void series.refetch()} />
      ) : total !== undefined && total.requests === 0 ? (
        <section className="panel">
          <Empty title={words.empty} text={words.emptyText} />
        </section>
      ) : (
        <div className="stack">
          <section className="panel" aria-label={words.spend}>
            <div className="strip">
              <Figure name={words.spend}>
                {total === undefined ? <span className="skel w0" /> : <Amount value={total.cost} unit />}
              </Figure>
              <Figure name={words.requests}>
                {total === undefined ? <span className="skel w0" /> : format.number(total.requests)}
              </Figure>
              <Figure name={words.errorShare}>
                {total === undefined ? '—' : format.percent(total.errors / Math.max(1, total.requests), 2)}
              </Figure>
              <Figure name={words.cacheShare}>
                {total === undefined ? '—' : format.percent(total.cached_tokens / Math.max(1, total.input_tokens), 1)}
              </Figure>
            </div>
            <div className="pad under stack m">
              <h2>
                {words.spend} <span className="unit">{shared.toman}</span>
              </h2>
              <Chart
                {...labels}
                name={words.spend}
                fileName="spend"
                kind="bars"
                unit={shared.toman}
                show={count}
                showExact={format.money}
                series={[
                  of(
                    'cost',
                    words.spend,
                    ({ cost }) => roughly(cost),
                    ({ cost }) => cost,
                  ),
                ]}
              />
            </div>
          </section>
          <div className="columns two">
            <ChartPanel title={words.tokens}>
              <Chart
                {...labels}
                name={words.tokens}
                fileName="tokens"
                kind="bars"
                unit={words.tokens}
                show={count}
                series={[
                  of('output', words.output, ({ output_tokens: n }) => n),
                  of('input', words.input, ({ input_tokens: all, cached_tokens: cached }) => Math.max(0, all - cached)),
                  of('cached', words.cached, ({ cached_tokens: n }) => n),
                ]}
              />
            </ChartPanel>
            <ChartPanel title={words.requests}>
              <Chart
                {...labels}
                name={words.requests}
                fileName="requests"
                kind="bars"
                unit={words.requests}
                show={count}
                series={[
                  of('answered', words.requests, ({ requests, errors }) => requests - errors),
                  of('errors', words.errors, ({ errors }) => errors),
                ]}
              />
            </ChartPanel>
            <ChartPanel title={words.latency} unit={shared.seconds}>
              <Chart
                {...labels}
                name={words.latency}
                fileName="latency"
                kind="lines"
                unit={shared.seconds}
                show={(value) => format.number(value, 2)}
                series={[
                  of('p50', words.median, ({ p50_ms: ms }) => (ms === null ? null : ms / 1000)),
                  of('p95', words.p95, ({ p95_ms: ms }) => (ms === null ? null : ms / 1000)),
                ]}
              />
            </ChartPanel>
            <ChartPanel title={words.errorShare} unit={words.percent}>
              <Chart
                {...labels}
                name={words.errorShare}
                fileName="error-share"
                kind="lines"
                unit={words.percent}
                show={(value) => format.number(value, 2)}
                series={[
                  of('errors', words.errorShare, ({ errors, requests }) =>
                    requests === 0 ? null : (errors / requests) * 100,
                  ),
                ]}
              />
            </ChartPanel>
          </div>
          <Breakdown query={query} />
        </div>
      )}
    </>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="stat">
      <div className="k">{name}</div>
      <div className="v">{children}</div>
    </div>
  );
}

function ChartPanel({ title, unit, children }: { title: string; unit?: string; children: React.ReactNode }) {
  return (
    <section className="panel pad stack m" aria-label={title}>
      <h2>
        {title} {unit !== undefined && <span className="unit">{unit}</span>}
      </h2>
      {children}
    </section>
  );
}

function useQuery(days: string) {
  const address = useAddress();
  const [key, model] = [address.get('key'), address.get('model')];
  return useMemo(() => {
    const now = Math.floor(Date.now() / 60_000) * 60_000;
    const interval = days === '1' ? ('hour' as const) : days === '365' ? ('month' as const) : ('day' as const);
    const from = new Date(now - (Number(days) - (interval === 'day' ? 1 : 0)) * 86_400_000).toISOString();
    return {
      interval,
      from: interval === 'hour' ? from : from.slice(0, 10),
      ...(key === undefined ? {} : { key_id: key }),
      ...(model === undefined ? {} : { model }),
    };
  }, [days, key, model]);
}

function Breakdown({ query }: { query: ReturnType<typeof useQuery> }) {
  const words = useWords();
  const shared = useShared();
  const format = useFormat();
  const names = useRequestWords();
  const address = useAddress();
  const by = (address.get('by') ?? 'model') as Grouping;
  const { interval: _interval, ...rest } = query;
  const read = useRead<typeof getUsageBreakdown>(
    'GET /api/console/usage/breakdown',
    { query: { ...rest, by, limit: 200 } },
    { keep: true },
  );
  const rows = read.data?.data;
  const most = Math.max(1e-9, ...(rows ?? []).map(({ cost }) => roughly(cost)));
  const nameOf = (value: string, name: string | null) =>
    name ??
    (by === 'state'
      ? names.states[value]
      : by === 'error'
        ? (names.errors[value] ?? value)
        : by === 'endpoint'
          ? (names.endpoints[value] ?? value)
          : value) ??
    value;
  return (
    <section className="panel" aria-label={words.by}>
      <div className="head ruled">
        <h2>{words.by}</h2>
        <Segments
          label={words.by}
          value={by}
          onChange={(next) => address.set({ by: next })}
          options={(Object.keys(words.groups) as Grouping[]).map((id) => [id, words.groups[id]] as const)}
        />
        <div className="end">
          <button
            type="button"
            className="btn small"
            disabled={rows === undefined || rows.length === 0}
            onClick={() =>
              downloadCsv(
                `usage-by-${by}.csv`,
                [
                  by,
                  'requests',
                  'errors',
                  'input_tokens',
                  'cached_tokens',
                  'output_tokens',
                  'p50_ms',
                  'p95_ms',
                  'cost_toman',
                ],
                (rows ?? []).map((row) => [
                  nameOf(row.value, row.name),
                  row.requests,
                  row.errors,
                  row.input_tokens,
                  row.cached_tokens,
                  row.output_tokens,
                  row.p50_ms,
                  row.p95_ms,
                  row.cost,
                ]),
              )
            }
          >
            <Icon name="save" />
            <span dir="ltr">{shared.csv}</span>
          </button>
        </div>
      </div>
      <Table
        label={words.by}
        dense
        rows={rows}
        idOf={({ value }) => value}
        empty={<Empty title={words.empty} text={words.emptyText} />}
        columns={[
          {
            id: 'name',
            head: words.groups[by],
            fold: 'c1',
            cell: ({ value, name }) =>
              value === '' ? (
                <span className="dim">{words.nameless}</span>
              ) : by === 'model' || by === 'user' ? (
                <Id value={value} />
              ) : (
                <bdi>{nameOf(value, name)}</bdi>
              ),
          },
          {
            id: 'share',
            head: words.share,
            cell: ({ cost }) => (
              <span className="minibar" style={vars({ '--p': `${(roughly(cost) / most) * 100}%` })} />
            ),
          },
          {
            id: 'requests',
            head: words.requests,
            number: true,
            fold: 'c3',
            cell: ({ requests }) => format.number(requests),
          },
          {
            id: 'errors',
            head: words.errors,
            number: true,
            cell: ({ errors }) =>
              errors === 0 ? (
                <span className="dim">{format.number(0)}</span>
              ) : (
                <span className="bad">{format.number(errors)}</span>
              ),
          },
          {
            id: 'tokens',
            head: words.tokens,
            number: true,
            cell: (row) => format.number(row.input_tokens + row.output_tokens),
          },
          {
            id: 'p50',
            head: words.median,
            number: true,
            cell: ({ p50_ms: ms }) => (ms === null ? '—' : format.seconds(ms)),
          },
          { id: 'cost', head: words.cost, number: true, fold: 'c2', cell: ({ cost }) => <AmountCell value={cost} /> },
        ]}
      />
    </section>
  );
}
