/** The sums of a period, and its history as charts. */
import type { getUsageSeries } from '@dargah/api/console/usage.ts';
import type { Result } from '../../api/call.ts';
import { roughly, useFormat } from '../../format.ts';
import { Chart, type Series } from '../../parts/chart.tsx';
import { Amount } from '../../parts/figures.tsx';
import { useShared } from '../../texts/shared.ts';
import type { UsageQuery } from './period.ts';
import { useTexts } from './texts.ts';

type Point = Result<typeof getUsageSeries>['data'][number];

export interface TotalsProps {
  total: Result<typeof getUsageSeries>['total'] | undefined;
  points: readonly Point[];
  interval: UsageQuery['interval'];
  endsNow: boolean;
}

function seriesOf(
  points: readonly Point[],
  id: string,
  name: string,
  read: (point: Point) => number | null,
  exact?: (point: Point) => string,
): Series {
  return { id, name, values: points.map(read), ...(exact === undefined ? {} : { exact: points.map(exact) }) };
}

function useAxis({ total, points, interval, endsNow }: TotalsProps) {
  const format = useFormat();
  return {
    points: points.map(({ start }) => start),
    loading: total === undefined,
    label: (at: string) =>
      interval === 'hour'
        ? format.clock(at).slice(0, 5)
        : interval === 'month'
          ? format.month(at)
          : format.monthDay(at),
    lastIsOpen: endsNow,
  };
}

const useCount = () => {
  const format = useFormat();
  return (value: number) => format.number(value, value < 10 ? 2 : 0);
};

export function Totals(props: TotalsProps) {
  const { total, points } = props;
  const texts = useTexts();
  const shared = useShared();
  const format = useFormat();
  const axis = useAxis(props);
  const count = useCount();
  return (
    <>
      <section className="panel" aria-label={texts.spend}>
        <div className="strip">
          <Figure name={texts.spend}>
            {total === undefined ? <span className="skel w0" /> : <Amount value={total.cost} unit />}
          </Figure>
          <Figure name={texts.requests}>
            {total === undefined ? <span className="skel w0" /> : format.number(total.requests)}
          </Figure>
          <Figure name={texts.errorShare}>
            {total === undefined ? '—' : format.percent(total.errors / Math.max(1, total.requests), 2)}
          </Figure>
          <Figure name={texts.cacheShare}>
            {total === undefined ? '—' : format.percent(total.cached_tokens / Math.max(1, total.input_tokens), 1)}
          </Figure>
        </div>
        <div className="pad under stack gap-m">
          <h2>
            {texts.spend} <span className="unit">{shared.toman}</span>
          </h2>
          <Chart
            {...axis}
            name={texts.spend}
            fileName="spend"
            kind="bars"
            unit={shared.toman}
            show={count}
            showExact={format.money}
            series={[
              seriesOf(
                points,
                'cost',
                texts.spend,
                ({ cost }) => roughly(cost),
                ({ cost }) => cost,
              ),
            ]}
          />
        </div>
      </section>
      <Charts {...props} />
    </>
  );
}

function Charts(props: TotalsProps) {
  const { points } = props;
  const texts = useTexts();
  const shared = useShared();
  const format = useFormat();
  const axis = useAxis(props);
  const count = useCount();
  const of = (id: string, name: string, read: (point: Point) => number | null) => seriesOf(points, id, name, read);
  return (
    <div className="columns two">
      <ChartPanel title={texts.tokens}>
        <Chart
          {...axis}
          name={texts.tokens}
          fileName="tokens"
          kind="bars"
          unit={texts.tokens}
          show={count}
          series={[
            of('output', texts.output, ({ output_tokens: n }) => n),
            of('input', texts.input, ({ input_tokens: all, cached_tokens: cached }) => Math.max(0, all - cached)),
            of('cached', texts.cached, ({ cached_tokens: n }) => n),
          ]}
        />
      </ChartPanel>
      <ChartPanel title={texts.requests}>
        <Chart
          {...axis}
          name={texts.requests}
          fileName="requests"
          kind="bars"
          unit={texts.requests}
          show={count}
          series={[
            of('answered', texts.requests, ({ requests, errors }) => requests - errors),
            of('errors', texts.errors, ({ errors }) => errors),
          ]}
        />
      </ChartPanel>
      <ChartPanel title={texts.latency} unit={shared.seconds}>
        <Chart
          {...axis}
          name={texts.latency}
          fileName="latency"
          kind="lines"
          unit={shared.seconds}
          show={(value) => format.number(value, 2)}
          series={[
            of('p50', texts.median, ({ p50_ms: ms }) => (ms === null ? null : ms / 1000)),
            of('p95', texts.p95, ({ p95_ms: ms }) => (ms === null ? null : ms / 1000)),
          ]}
        />
      </ChartPanel>
      <ChartPanel title={texts.errorShare} unit={texts.percent}>
        <Chart
          {...axis}
          name={texts.errorShare}
          fileName="error-share"
          kind="lines"
          unit={texts.percent}
          show={(value) => format.number(value, 2)}
          series={[
            of('errors', texts.errorShare, ({ errors, requests }) =>
              requests === 0 ? null : (errors / requests) * 100,
            ),
          ]}
        />
      </ChartPanel>
    </div>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="stat">
      <div className="stat-name">{name}</div>
      <div className="stat-value">{children}</div>
    </div>
  );
}

function ChartPanel({ title, unit, children }: { title: string; unit?: string; children: React.ReactNode }) {
  return (
    <section className="panel pad stack gap-m" aria-label={title}>
      <h2>
        {title} {unit !== undefined && <span className="unit">{unit}</span>}
      </h2>
      {children}
    </section>
  );
}
