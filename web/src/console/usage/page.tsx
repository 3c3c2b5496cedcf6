import type { listKeys } from '../../../../server/src/http/console/routes/keys.ts';
import type { getUsageBreakdown, getUsageSeries } from '../../../../server/src/http/console/routes/usage.ts';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Chart, type Series } from '../../parts/chart.tsx';
import { Filter, FilterDay } from '../../parts/filter.tsx';
import { Amount, Empty, PageHead, Segments } from '../../parts/small.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { wordOf } from '../../words/dictionary.tsx';
import { useRequestWords } from '../../words/request-words.ts';
import { useShared } from '../../words/shared.ts';
import { Breakdown } from './breakdown.tsx';
import { usePeriod } from './period.ts';
import { useWords } from './words.ts';

const SPANS = ['1', '7', '30', 'month', '90', '365'] as const;
type Point = Result<typeof getUsageSeries>['data'][number];

export default function UsagePage() {
  const words = useWords();
  const shared = useShared();
  const format = useFormat();
  const address = useAddress();
  const { span, endsNow, query } = usePeriod();
  const series = useRead<typeof getUsageSeries>('GET /api/console/usage/series', { query }, { keep: true });
  const keys = useRead<typeof listKeys>('GET /api/console/keys', { query: {} }).data?.data ?? [];
  const models = useGroups('model');
  const endpoints = useGroups('endpoint');
  const users = useGroups('user');
  const names = useRequestWords();
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
    lastIsOpen: endsNow,
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
          value={span ?? ''}
          onChange={(next) => address.set({ days: next, from: undefined, to: undefined })}
          options={SPANS.map((id) => [id, words.periods[id]] as const)}
        />
      </PageHead>
      <div className="filters">
        <Filter name="key" label={words.filterKey} options={keys.map(({ id, name }) => [id, name] as const)} />
        <Filter name="model" label={words.filterModel} options={models.map(({ value }) => [value, value] as const)} />
        <Filter
          name="endpoint"
          label={words.groups.endpoint}
          options={endpoints.map(({ value }) => [value, wordOf(names.endpoints, value) ?? value] as const)}
        />
        <Filter name="user" label={words.groups.user} options={users.map(({ value }) => [value, value] as const)} />
        <FilterDay name="from" label={words.fromDay} />
        <FilterDay name="to" label={words.toDay} />
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

/** What there is to filter by, as the last month knows it. */
function useGroups(by: 'model' | 'endpoint' | 'user') {
  const found = useRead<typeof getUsageBreakdown>('GET /api/console/usage/breakdown', { query: { by } }).data?.data;
  return (found ?? []).filter(({ value }) => value !== '');
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
