/** The limits that hold now, live, and the way to have them raised. */

import type { getLimits } from '@dargah/api/console/own-money.ts';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { useLive } from '../../api/live.tsx';
import { useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Amount } from '../../parts/figures.tsx';
import { Meter } from '../../parts/meter.tsx';
import { PageHead, Panel } from '../../parts/page-frame.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useOwnAccount } from '../../session.tsx';
import { ForecastPanel } from './forecast.tsx';
import { OwnCaps } from './own-caps.tsx';
import { useTexts } from './texts.ts';

export default function LimitsPage() {
  const texts = useTexts();
  const format = useFormat();
  const own = useOwnAccount();
  const { listen } = useLive();
  const read = useRead<typeof getLimits>('GET /api/console/limits', {});
  const { refetch } = read;
  useEffect(() => listen(() => void refetch({ cancelRefetch: false })), [listen, refetch]);
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void refetch()} />;
  const limits = read.data;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        {own?.role !== 'viewer' && (
          <Link className="btn" href="/console/tickets?raise">
            {texts.raise}
          </Link>
        )}
      </PageHead>
      {limits === undefined ? (
        <Skeleton shape="panels" />
      ) : (
        <div className="stack">
          <Panel title={texts.rate}>
            <div className="pad stack gap-m">
              {limits.requests.limit === null ? (
                <div>
                  <div className="strong">{texts.rpm}</div>
                  <p className="mid">{texts.usedFree(format.number(limits.requests.used))}</p>
                </div>
              ) : (
                <Meter
                  name={texts.rpm}
                  share={limits.requests.limit === 0 ? 1 : limits.requests.used / limits.requests.limit}
                >
                  {texts.used(format.number(limits.requests.used), format.number(limits.requests.limit))}
                </Meter>
              )}
            </div>
          </Panel>
          <Panel title={texts.caps}>
            <div className="pad stack gap-m">
              {limits.caps.map((cap) =>
                cap.limit === null ? (
                  <div key={cap.period}>
                    <div className="strong">{texts.capNames[cap.period]}</div>
                    <p className="mid">{texts.capFree(format.money(cap.spent))}</p>
                  </div>
                ) : (
                  <Meter
                    key={cap.period}
                    name={texts.capNames[cap.period]}
                    share={roughly(cap.limit) === 0 ? 1 : (roughly(cap.spent) + roughly(cap.held)) / roughly(cap.limit)}
                  >
                    {texts.capOf(format.money(cap.spent), format.money(cap.held), format.money(cap.limit))}{' '}
                    {cap.resets_at !== null && texts.resets(format.dateTime(cap.resets_at))}{' '}
                    {cap.set_by !== null && texts.setBy[cap.set_by]}
                  </Meter>
                ),
              )}
            </div>
          </Panel>
          <OwnCaps caps={limits.own_caps} />
          <ForecastPanel />
          <Panel title={texts.access}>
            <dl className="facts pad">
              <dt>{texts.models}</dt>
              <dd className="row">
                {limits.models === null
                  ? texts.all
                  : limits.models.map((model) => <Id key={model} value={model} boxed />)}
              </dd>
              <dt>{texts.endpoints}</dt>
              <dd className="row">
                {limits.endpoints === null
                  ? texts.all
                  : limits.endpoints.map((endpoint) => <Id key={endpoint} value={endpoint} boxed />)}
              </dd>
              <dt>{texts.minimum}</dt>
              <dd>
                <Amount value={limits.wallet_minimum} unit />
              </dd>
            </dl>
          </Panel>
        </div>
      )}
    </>
  );
}
