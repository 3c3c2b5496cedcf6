/** How one is reached, each way tried by a test, and when it waits. */

import type { setStaffQuietHours, testStaffAlert } from '@dargah/api/admin/outages.ts';
import { persianDigits } from '@dargah/core/persian-text.ts';
import { useState } from 'react';
import { useChange } from '../../../api/read.ts';
import { useFormat } from '../../../format.ts';
import { Id } from '../../../parts/copyable.tsx';
import { Form, SelectField } from '../../../parts/form.tsx';
import { Panel } from '../../../parts/page-frame.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { useShared } from '../../../texts/shared.ts';
import type { OwnAlerts } from './own-alerts.ts';
import { useAlertTexts } from './texts.ts';

const WAYS = ['email', 'sms', 'webhook'] as const;
const HALF_HOURS = Array.from(
  { length: 48 },
  (_, at) => `${String(Math.floor(at / 2)).padStart(2, '0')}:${at % 2 === 0 ? '00' : '30'}`,
);

export function Ways({ own }: { own: OwnAlerts }) {
  const texts = useAlertTexts();
  const toast = useToast();
  const test = useChange<typeof testStaffAlert>('POST /api/admin/alerts/test', {
    done: () => toast({ text: texts.tested }),
  });
  const addresses = {
    email: own.email,
    sms: own.sms,
    webhook: own.targets.filter(({ enabled }) => enabled).map(({ url }) => url),
  };
  const missing = (way: (typeof WAYS)[number]) =>
    way !== 'webhook' && !own.can[way]
      ? texts.noCarrier[way]
      : addresses[way].length === 0
        ? texts.noAddress[way]
        : undefined;
  return (
    <Panel title={texts.ways}>
      {WAYS.map((way) => (
        <article key={way} className="talk-line row between">
          <div>
            <strong>{texts.channels[way]}</strong>{' '}
            {missing(way) === undefined ? (
              addresses[way].map((address) => <Id key={address} value={address} />)
            ) : (
              <span className="dim">{missing(way)}</span>
            )}
          </div>
          {missing(way) === undefined && (
            <button
              type="button"
              className="btn small"
              aria-label={texts.testOf(texts.channels[way])}
              disabled={test.isPending}
              onClick={() => test.mutate({ body: { channel: way } })}
            >
              {texts.test}
            </button>
          )}
        </article>
      ))}
    </Panel>
  );
}

export function QuietHours({ own }: { own: OwnAlerts }) {
  const texts = useAlertTexts();
  const shared = useShared();
  const toast = useToast();
  const [from, setFrom] = useState(own.quiet_hours?.from ?? '');
  const [to, setTo] = useState(own.quiet_hours?.to ?? '');
  const [holds, setHolds] = useState<string>(own.quiet_holds);
  const save = useChange<typeof setStaffQuietHours>('PUT /api/admin/alerts/quiet-hours', {
    stale: ['GET /api/admin/alerts'],
    done: () => toast({ text: shared.saved }),
  });
  const { language } = useFormat();
  const said = (at: string) => (language === 'fa' ? persianDigits(at) : at);
  /** Every half hour, and the chosen moment where it lies between them. */
  const hours = (chosen: string) => [
    ['', texts.noQuiet] as const,
    ...[...new Set([...HALF_HOURS, ...(chosen === '' ? [] : [chosen])])].sort().map((at) => [at, said(at)] as const),
  ];
  const none = from === '' || to === '';
  return (
    <Panel title={texts.quiet}>
      <Form
        className="pad stack gap-m narrow-form"
        label={texts.quiet}
        onSubmit={() =>
          save.mutate({
            body: {
              from: none ? null : from,
              to: none ? null : to,
              holds: holds === 'all' ? 'all' : 'warnings',
            },
          })
        }
      >
        <p className="mid">{texts.quietText}</p>
        <div className="columns two">
          <SelectField label={shared.from} value={from} onChange={setFrom} options={hours(from)} />
          <SelectField label={shared.to} value={to} onChange={setTo} options={hours(to)} />
        </div>
        <SelectField label={texts.holds} value={holds} onChange={setHolds} options={Object.entries(texts.holdsOf)} />
        <div className="row">
          <button type="submit" className="btn" disabled={save.isPending}>
            {shared.save}
          </button>
        </div>
      </Form>
    </Panel>
  );
}
