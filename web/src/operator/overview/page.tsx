/** Money today, what staff must hear of, and the health of the routes. */

import type { listPayments } from '@dargah/api/admin/payments.ts';
import type { getProfit } from '@dargah/api/admin/profit-and-costs.ts';
import type { getTraffic } from '@dargah/api/admin/requests.ts';
import type { getHealth, getRouteHealth } from '@dargah/api/admin/service.ts';
import type { listTickets } from '@dargah/api/admin/support.ts';
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import { Link } from 'wouter';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Chart } from '../../parts/chart.tsx';
import { Id } from '../../parts/copyable.tsx';
import { Amount, Counted } from '../../parts/figures.tsx';
import { Empty, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { useBookTexts } from '../book-texts.ts';
import { CostTasksLine } from '../cost-tasks-line.tsx';
import { startOfLastDays } from '../last-days.ts';
import { useStaffMay } from '../may.ts';
import { OpenOutages } from '../outages/open-outages.tsx';
import { ProfitFigure } from '../profit-figure.tsx';
import { SetupCard } from '../setup/card.tsx';
import { useTexts } from '../texts.ts';
import { everyDay } from './every-day.ts';
import { StaffNotices } from './staff-notices.tsx';
import { useOverviewTexts } from './texts.ts';

export default function OperatorOverview() {
  const texts = useTexts();
  const format = useFormat();
  const now = Date.now();
  return (
    <>
      <PageHead title={texts.nav.overview} lead={`${format.weekday(now)} ${format.dateTime(now)}`} />
      <div className="stack">
        <OpenOutages />
        <SetupCard />
        <Money />
        <StaffNotices />
        <RouteHealth />
      </div>
    </>
  );
}

const DAYS = 30;

/** Sales, their cost and the profit; roles that may not see it see the rest of the panel. */
function useDays() {
  const sees = useStaffMay<typeof getProfit>(['owner', 'finance']);
  const from = startOfLastDays(DAYS);
  const read = useRead<typeof getProfit>('GET /api/admin/profit', { query: { by: 'day', from } }, { enabled: sees });
  return { sees, total: read.data?.total, days: read.data === undefined ? [] : everyDay(read.data, HOME_ZONE) };
}

function Money() {
  const texts = useTexts();
  const own = useOverviewTexts();
  const format = useFormat();
  const { sees, total, days } = useDays();
  const seesTickets = useStaffMay<typeof listTickets>(['owner', 'support', 'finance']);
  const health = useRead<typeof getHealth>('GET /api/admin/health', {}).data;
  const tickets = useRead<typeof listTickets>(
    'GET /api/admin/tickets',
    { query: { limit: 1 } },
    { enabled: seesTickets },
  ).data;
  const stuck = useRead<typeof listPayments>(
    'GET /api/admin/payments',
    { query: { stuck: true, limit: 50 } },
    { enabled: sees },
  ).data;
  const traffic = useRead<typeof getTraffic>('GET /api/admin/traffic', {}).data;
  const today = days.at(-1);
  const share = (of: { margin_known: number | null } | undefined) =>
    of === undefined || of.margin_known === null ? '—' : format.percent(of.margin_known, 2);
  return (
    <section className="panel" aria-label={texts.nav.overview}>
      {sees && (
        <div className="cut cut-2">
          <div className="stat">
            <div className="stat-name">{texts.revenue}</div>
            <div className="hero">{today === undefined ? '—' : <Amount value={today.revenue} unit />}</div>
            <div className="stat-note">
              {texts.cost} {today === undefined ? '—' : <Amount value={today.provider_cost} unit />}
            </div>
          </div>
          <div className="stat">
            <div className="stat-name">{own.profitToday}</div>
            <div className="stat-value big">{today === undefined ? '—' : <ProfitFigure of={today} />}</div>
            <div className="stat-note">{own.shareOfSales(share(today), share(total))}</div>
          </div>
        </div>
      )}
      <div className={sees ? 'strip under' : 'strip'}>
        {sees && (
          <Figure name={own.requestsToday} more={own.running(format.number(health?.running_requests ?? 0))}>
            {today === undefined ? '—' : format.number(today.requests)}
          </Figure>
        )}
        <Figure name={own.perSecond} more={own.lastMinute}>
          {traffic === undefined ? '—' : format.number(traffic.requests_per_second, 2)}
        </Figure>
        <Figure name={own.errorRate} more={own.refusedHour(format.number(traffic?.refused ?? 0))}>
          <ErrorShare traffic={traffic} />
        </Figure>
        <Figure
          name={own.latencyHour}
          more={typeof traffic?.p95_ms === 'number' && own.slowest(format.seconds(traffic.p95_ms))}
        >
          {typeof traffic?.p50_ms === 'number' ? own.seconds(format.seconds(traffic.p50_ms)) : '—'}
        </Figure>
      </div>
      <div className="strip under">
        {seesTickets && (
          <Figure name={own.openTickets}>
            <Waiting href="/operator/tickets?state=open" count={tickets?.open} />
          </Figure>
        )}
        {sees && (
          <Figure name={texts.stuck}>
            <Waiting href="/operator/payments?stuck=true" count={stuck?.data.length} />
          </Figure>
        )}
        <Figure name={own.journal}>
          {health?.journal?.depth === undefined ? '—' : format.number(health.journal.depth)}
        </Figure>
      </div>
      {sees && <DailySales days={days} total={total} />}
    </section>
  );
}

/** Healthy routes are unobtrusive; problems that customers feel stand out. */
const WARN_SHARE = 0.05;
const BAD_SHARE = 0.2;

function ErrorShare({ traffic }: { traffic: { failed: number; requests: number } | undefined }) {
  const format = useFormat();
  if (traffic === undefined || traffic.requests === 0) return '—';
  const share = traffic.failed / traffic.requests;
  const tone = share > BAD_SHARE ? 'bad' : share > WARN_SHARE ? 'warn' : undefined;
  return <span className={tone}>{format.percent(share, 2)}</span>;
}

function DailySales({
  days,
  total,
}: {
  days: ReturnType<typeof everyDay>;
  total: ReturnType<typeof useDays>['total'];
}) {
  const texts = useTexts();
  const own = useOverviewTexts();
  const shared = useShared();
  const format = useFormat();
  return (
    <div className="pad under stack gap-m">
      <h2>
        {own.daily} <span className="unit">{shared.toman}</span>
      </h2>
      <Chart
        name={own.daily}
        fileName="sales"
        kind="bars"
        points={days.map(({ value }) => value)}
        lastIsOpen
        label={(day) => format.monthDay(`${day.slice(0, 10)}T12:00:00Z`)}
        unit={shared.toman}
        series={[
          {
            id: 'cost',
            name: texts.cost,
            values: days.map((day) => roughly(day.provider_cost)),
            exact: days.map((day) => day.provider_cost),
          },
          {
            id: 'profit',
            name: texts.profit,
            values: days.map((day) => Math.max(0, roughly(day.profit_low))),
            exact: days.map((day) => day.profit_low),
          },
          ...(roughly(total?.revenue_unknown_cost) === 0
            ? []
            : [
                {
                  id: 'unknown',
                  name: own.unknownSales,
                  values: days.map((day) => roughly(day.revenue_unknown_cost)),
                  exact: days.map((day) => day.revenue_unknown_cost),
                },
              ]),
        ]}
        show={(value) => format.number(value, value < 10 ? 2 : 0)}
        showExact={format.money}
      />
      <CostTasksLine total={total} />
    </div>
  );
}

function Figure({ name, more, children }: { name: string; more?: React.ReactNode; children: React.ReactNode }) {
  return (
    <div className="stat">
      <div className="stat-name">{name}</div>
      <div className="stat-value">{children}</div>
      {more !== undefined && <div className="stat-note">{more}</div>}
    </div>
  );
}

/** How many wait for staff, with the way to them. */
function Waiting({ href, count }: { href: string; count: number | undefined }) {
  const format = useFormat();
  return (
    <Link href={href} className={count === 0 ? 'none' : ''}>
      {count === undefined ? '—' : format.number(count)}
    </Link>
  );
}

const TONES: Record<string, Tone> = { closed: 'ok', open: 'bad', 'half-open': 'warn', probing: 'warn' };

export function RouteHealth() {
  const texts = useTexts();
  const own = useOverviewTexts();
  const { causes } = useBookTexts();
  const shared = useShared();
  const format = useFormat();
  const rows = useRead<typeof getRouteHealth>('GET /api/admin/routes/health', {}).data?.data;
  const name = (state: string) =>
    state === 'closed' ? texts.closedState : state === 'open' ? texts.openState : own.halfState;
  return (
    <Panel title={own.health}>
      <Table
        label={own.health}
        dense
        rows={rows}
        idOf={({ target }) => target}
        empty={<Empty title={own.noRoutes} text={own.noRoutesText} />}
        columns={[
          { id: 'target', head: texts.route, fold: 'c1', cell: ({ target }) => <Id value={target} /> },
          { id: 'provider', head: texts.provider, spare: true, cell: ({ provider }) => <Id value={provider} /> },
          {
            id: 'state',
            head: texts.state,
            fold: 'c2',
            cell: ({ state }) => <Pill tone={TONES[state] ?? 'warn'}>{name(state)}</Pill>,
          },
          {
            id: 'cause',
            head: own.cause,
            fold: 'c3',
            spare: true,
            className: 'mid',
            cell: ({ cause, state }) =>
              cause !== null && state !== 'closed' && (labelOf(causes, cause) ?? <Id value={cause} />),
          },
          { id: 'flight', head: own.inFlight, number: true, spare: true, cell: ({ in_flight: n }) => format.number(n) },
          {
            id: 'p50',
            head: own.p50,
            number: true,
            spare: true,
            cell: ({ p50_ms: ms }) => (ms === null ? '—' : format.seconds(ms)),
          },
          {
            id: 'p95',
            head: own.p95,
            number: true,
            spare: true,
            fold: 'c4',
            cell: ({ p95_ms: ms }) =>
              ms === null ? '—' : <Counted unit={shared.seconds}>{format.seconds(ms)}</Counted>,
          },
        ]}
      />
    </Panel>
  );
}
