/** Each of staff chooses how they are told; the owner sees how everybody is. */

import type { chooseAlertChannels, getOwnAlerts, listStaffAlerts } from '@dargah/api/admin/outages.ts';
import { useChange, useRead } from '../../../api/read.ts';
import { useFormat } from '../../../format.ts';
import { Id } from '../../../parts/copyable.tsx';
import { Check } from '../../../parts/form.tsx';
import { PageHead, Panel } from '../../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../../parts/pill.tsx';
import { Table } from '../../../parts/table.tsx';
import { Trouble } from '../../../parts/trouble.tsx';
import { useShellTexts } from '../../../shell/texts.ts';
import { useStaffMay } from '../../may.ts';
import type { OwnAlerts } from './own-alerts.ts';
import { OwnTargets } from './own-targets.tsx';
import { useAlertTexts } from './texts.ts';
import { QuietHours, Ways } from './ways.tsx';

type Choice = OwnAlerts['choices'][number];
const CHANNELS = ['console', 'email', 'sms', 'webhook'] as const;
const TONES: Record<Choice['severity'], Tone> = { warning: 'off', major: 'warn', critical: 'bad' };
const OWN = 'GET /api/admin/alerts';

export default function StaffAlertsPage() {
  const texts = useAlertTexts();
  const seesAll = useStaffMay<typeof listStaffAlerts>(['owner']);
  const read = useRead<typeof getOwnAlerts>(OWN, {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      {read.data === undefined ? (
        <span className="skel block" />
      ) : (
        <div className="stack">
          <Ways own={read.data} />
          <Choices choices={read.data.choices} />
          <QuietHours key={JSON.stringify(read.data.quiet_hours)} own={read.data} />
          <OwnTargets targets={read.data.targets} />
          {seesAll && <Everyone />}
        </div>
      )}
    </>
  );
}

function Choices({ choices }: { choices: Choice[] }) {
  const texts = useAlertTexts();
  const { language } = useFormat();
  const choose = useChange<typeof chooseAlertChannels>('PUT /api/admin/alerts/events/:event', { stale: [OWN] });
  const set = ({ event, channels }: Choice, channel: (typeof CHANNELS)[number], on: boolean) =>
    choose.mutate({
      params: { event },
      body: { channels: on ? [...channels, channel] : channels.filter((other) => other !== channel) },
    });
  return (
    <section className="panel" aria-label={texts.what}>
      {choices.map((choice) => (
        <article key={choice.event} className="talk-line alert-rule">
          <div className="name row">
            <strong>{choice.title[language]}</strong>
            <Pill tone={TONES[choice.severity]}>{texts.severities[choice.severity]}</Pill>
          </div>
          {choice.chosen && (
            <span className="row acts">
              <button
                type="button"
                className="btn small"
                disabled={choose.isPending}
                onClick={() => choose.mutate({ params: { event: choice.event }, body: { channels: null } })}
              >
                {texts.reset}
              </button>
            </span>
          )}
          <fieldset className="row wide" aria-label={choice.title[language]}>
            {CHANNELS.map((channel) => (
              <Check
                key={channel}
                checked={choice.channels.includes(channel)}
                onChange={(on) => set(choice, channel, on)}
              >
                {texts.channels[channel]}
              </Check>
            ))}
          </fieldset>
        </article>
      ))}
    </section>
  );
}

function Everyone() {
  const texts = useAlertTexts();
  const shell = useShellTexts();
  const read = useRead<typeof listStaffAlerts>('GET /api/admin/alerts/everyone', {});
  const failing = (choices: Choice[]) => choices.find(({ event }) => event === 'model.failing')?.channels ?? [];
  return (
    <Panel title={texts.everyone}>
      <Table
        label={texts.everyone}
        rows={read.data?.data}
        idOf={({ person_id: id }) => id}
        skeleton={2}
        columns={[
          {
            id: 'name',
            head: texts.person,
            fold: 'c1',
            cell: ({ name, role }) => (
              <>
                <bdi className="strong">{name}</bdi> <span className="xs dim">{shell.staffRoles[role] ?? role}</span>
              </>
            ),
          },
          {
            id: 'told',
            head: texts.told,
            fold: 'c3',
            cell: ({ choices }) =>
              failing(choices)
                .map((channel) => texts.channels[channel])
                .join('، ') || '—',
          },
          {
            id: 'quiet',
            head: texts.quietOf,
            fold: 'c2',
            cell: ({ quiet_hours: hours }) =>
              hours === null ? '—' : <bdi dir="ltr" className="tnum">{`${hours.from}–${hours.to}`}</bdi>,
          },
          {
            id: 'reach',
            head: texts.reach,
            fold: 'c4',
            cell: ({ email, sms }) => [...email, ...sms].map((address) => <Id key={address} value={address} />),
          },
        ]}
      />
    </Panel>
  );
}
