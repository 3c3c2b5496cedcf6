import type { listKeys } from '@dargah/api/console/keys.ts';
import type { getWallet } from '@dargah/api/console/own-money.ts';
import type { listRequests } from '@dargah/api/console/own-requests.ts';
import { OVERVIEW_REQUESTS } from '@dargah/core/first-reads.ts';
import { Link, useLocation } from 'wouter';
import type { Result } from '../../api/call.ts';
import { useLive, useLiveRequests } from '../../api/live.tsx';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Amount } from '../../parts/figures.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Live } from '../../parts/pill.tsx';
import { Bar, Skeleton } from '../../parts/skeleton.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMayWrite, useOwnAccount } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { useShownKeyName } from '../key-name.ts';
import { useRequestColumns } from '../requests/columns.tsx';
import { Announcements } from './announcements.tsx';
import { DailyChart, useDailySeries } from './daily-chart.tsx';
import { FirstSteps } from './first-steps.tsx';
import { useTexts } from './texts.ts';

type Wallet = Result<typeof getWallet>;

export default function OverviewPage() {
  const texts = useTexts();
  const format = useFormat();
  const own = useOwnAccount();
  const mayWrite = useMayWrite();
  const mayPay = own !== undefined && ['owner', 'admin', 'billing'].includes(own.role);
  const now = Date.now();
  const wallet = useRead<typeof getWallet>('GET /api/console/wallet', {});
  return (
    <>
      <PageHead title={texts.title} lead={texts.moment(format.weekday(now), format.dateTime(now))}>
        {mayWrite && (
          <Link className="btn" href="/console/keys?new">
            <Icon name="plus" />
            {texts.newKey}
          </Link>
        )}
        {mayPay && (
          <Link
            className={wallet.data !== undefined && roughly(wallet.data.balance) > 0 ? 'btn main' : 'btn'}
            href="/console/wallet"
          >
            {texts.topUp}
          </Link>
        )}
      </PageHead>
      <div className="stack">
        <Announcements />
        <FirstSteps wallet={wallet.data} />
        {wallet.error !== null && wallet.data === undefined ? (
          <Trouble error={wallet.error} again={() => void wallet.refetch()} />
        ) : (
          <Purse wallet={wallet.data} />
        )}
        <SpendAndCaps wallet={wallet.data} />
        {own?.role !== 'billing' && <Latest />}
      </div>
    </>
  );
}

function Purse({ wallet }: { wallet: Wallet | undefined }) {
  const texts = useTexts();
  return (
    <section className="panel" aria-label={texts.available}>
      <div className="cut cut-2">
        <div className="pad">
          <div className="xs dim">{texts.available}</div>
          <div className="hero">
            {wallet === undefined ? <span className="skel w1" /> : <Amount value={wallet.available} unit />}
          </div>
          {wallet !== undefined && <PurseBar wallet={wallet} />}
        </div>
        <div className="pad">
          <div className="xs dim">{texts.lasts}</div>
          {wallet === undefined ? (
            <div className="hero">
              <Bar width={1} />
            </div>
          ) : (
            <Lasts wallet={wallet} />
          )}
        </div>
      </div>
      <Figures wallet={wallet} />
    </section>
  );
}

function PurseBar({ wallet }: { wallet: Wallet }) {
  const texts = useTexts();
  const held = roughly(wallet.held);
  return (
    <>
      <div className="purse-bar" aria-hidden="true">
        {roughly(wallet.available) > 0 && <i style={{ flex: roughly(wallet.available) }} />}
        {held > 0 && <i className="hatched" style={{ flex: held, minInlineSize: 14 }} />}
      </div>
      <div className="legend">
        {held === 0 ? (
          <span>{texts.nothingHeld}</span>
        ) : (
          <>
            <span>
              <span className="swatch hatched" />
              <span>{texts.held}</span> <Amount value={wallet.held} unit tone="held strong" />
            </span>
            <span>
              <span>{texts.balance}</span> <Amount value={wallet.balance} unit tone="strong" />
            </span>
          </>
        )}
      </div>
    </>
  );
}

function Lasts({ wallet }: { wallet: Wallet }) {
  const texts = useTexts();
  const format = useFormat();
  if (wallet.days_left === null || wallet.daily_pace === null) {
    return (
      <>
        <div className="hero">{texts.noPaceShort}</div>
        <p className="xs dim gap-above">{texts.noPace}</p>
      </>
    );
  }
  const long = wallet.days_left > 365;
  const until = Date.now() + Math.min(wallet.days_left, 3_650) * 86_400_000;
  return (
    <>
      <div className="hero">{long ? texts.long : texts.days(format.number(Math.floor(wallet.days_left)))}</div>
      <p className="xs dim gap-above">
        {!long && `${texts.until(format.date(until))} · `}
        {texts.pace(format.number(roughly(wallet.daily_pace), 0))}
      </p>
    </>
  );
}

function Figures({ wallet }: { wallet: Wallet | undefined }) {
  const texts = useTexts();
  const shared = useShared();
  const format = useFormat();
  // Its last day began at midnight in the account's zone.
  const series = useDailySeries();
  const today = series?.data.at(-1);
  const spent = (period: string) => wallet?.spend.find((entry) => entry.period === period)?.spent;
  const dailySpent = spent('daily');
  const monthlySpent = spent('monthly');
  return (
    <div className="strip under">
      <div className="stat">
        <div className="stat-name">{texts.today}</div>
        <div className="stat-value">
          {dailySpent === undefined ? <span className="skel w0" /> : <Amount value={dailySpent} unit />}
        </div>
      </div>
      <div className="stat">
        <div className="stat-name">{texts.month(format.month(Date.now()))}</div>
        <div className="stat-value">
          {monthlySpent === undefined ? <span className="skel w0" /> : <Amount value={monthlySpent} unit />}
        </div>
      </div>
      <div className="stat">
        <div className="stat-name">{texts.requests}</div>
        <div className="stat-value">
          {today === undefined ? <span className="skel w0" /> : format.number(today.requests)}
        </div>
        {today !== undefined && (
          <div className="stat-note">
            {today.errors > 0
              ? texts.failed(format.number(today.errors), format.percent(today.errors / Math.max(1, today.requests), 2))
              : texts.noneFailed}
          </div>
        )}
      </div>
      <div className="stat">
        <div className="stat-name">{texts.latency}</div>
        <div className="stat-value">
          {today?.p50_ms == null ? '—' : format.seconds(today.p50_ms)}{' '}
          <span className="unit">{today?.p50_ms == null ? '' : shared.seconds}</span>
        </div>
        {today?.p95_ms != null && <div className="stat-note">{texts.median(format.seconds(today.p95_ms))}</div>}
      </div>
    </div>
  );
}

function SpendAndCaps({ wallet }: { wallet: Wallet | undefined }) {
  const texts = useTexts();
  const format = useFormat();
  const caps = wallet?.spend.filter(({ limit }) => limit !== null) ?? [];
  return (
    <section className="panel" aria-label={texts.daily}>
      <div className="cut cut-2">
        <DailyChart />
        <div className="pad stack gap-m">
          <div className="row between">
            <h2>{texts.caps}</h2>
            <Link className="xs" href="/console/limits">
              {texts.change}
            </Link>
          </div>
          {wallet === undefined && <Skeleton shape="facts" />}
          {wallet !== undefined && caps.length === 0 && (
            <>
              <p className="mid">{texts.noCaps}</p>
              <Link className="btn" href="/console/keys">
                {texts.setCaps}
              </Link>
            </>
          )}
          {caps.map((cap) => (
            <Meter
              key={cap.period}
              name={texts.capNames[cap.period]}
              share={roughly(cap.spent) / Math.max(1e-6, roughly(cap.limit))}
            >
              {texts.capOf(format.money(cap.spent), format.money(cap.limit ?? '0'))}
              {cap.resets_at !== null &&
                ` · ${cap.period === 'daily' ? texts.resetsTonight : texts.resets(format.monthDay(cap.resets_at))}`}
            </Meter>
          ))}
        </div>
      </div>
    </section>
  );
}

function Latest() {
  const texts = useTexts();
  const shared = useShared();
  const [, navigate] = useLocation();
  const { connected } = useLive();
  const shownName = useShownKeyName();
  const keys = useRead<typeof listKeys>('GET /api/console/keys', { query: {} }).data?.data ?? [];
  const columns = useRequestColumns((id) => {
    const key = keys.find((one) => one.id === id);
    return key === undefined ? id : shownName(key);
  });
  const log = useRead<typeof listRequests>('GET /api/console/requests', { query: { limit: OVERVIEW_REQUESTS } }).data
    ?.data;
  const fresh = useLiveRequests(6);
  const known = new Set(fresh.map(({ id }) => id));
  const rows = log === undefined ? undefined : [...fresh, ...log.filter(({ id }) => !known.has(id))].slice(0, 6);
  return (
    <section className="panel" aria-label={texts.latest}>
      <div className="head ruled">
        <h2>{texts.latest}</h2>
        {connected && <Live>{shared.live}</Live>}
        <div className="end">
          <Link href="/console/requests">{texts.all}</Link>
        </div>
      </div>
      <Table
        label={texts.latest}
        dense
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        onOpen={({ id }) => navigate(`/console/requests/${id}`)}
        empty={<Empty title={texts.empty} text={texts.emptyText} />}
      />
    </section>
  );
}
