/** One rule per event: on or off, where it is told, and its terms as a sentence. */

import type { changeAlertRule, listAlertRules, sendTestAlert, setQuietHours } from '@dargah/api/console/alerts.ts';
import { latinDigits, persianDigits } from '@dargah/core/persian-text.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Check, Form, NumberField, SelectField, TextField, Toggle } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useMayWrite } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTexts } from './texts.ts';

type Rule = Result<typeof listAlertRules>['data'][number];
type Channel = Rule['channels'][number];
const CHANNELS: Channel[] = ['console', 'email', 'sms', 'webhook'];
const STALE = ['GET /api/console/alerts/rules'];

export function AlertRules() {
  const texts = useTexts();
  const { language } = useFormat();
  const toast = useToast();
  const mayWrite = useMayWrite();
  const [editing, setEditing] = useState<Rule>();
  const read = useRead<typeof listAlertRules>('GET /api/console/alerts/rules', {});
  const change = useChange<typeof changeAlertRule>('PATCH /api/console/alerts/rules/:event', { stale: STALE });
  const test = useChange<typeof sendTestAlert>('POST /api/console/alerts/test', {
    stale: ['GET /api/console/alerts/deliveries', 'GET /api/console/notices'],
    done: () => toast({ text: texts.tested }),
  });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <Skeleton shape="rows" />;
  return (
    <div className="stack">
      <section className="panel" aria-label={texts.tabs['rules']}>
        {read.data.data.map((rule) => (
          <article key={rule.id} className="talk-line alert-rule">
            <div className="name">
              <Toggle
                checked={rule.enabled}
                disabled={!mayWrite}
                onChange={(enabled) => change.mutate({ params: { event: rule.event }, body: { enabled } })}
              >
                <strong>{texts.events[rule.event]}</strong>
              </Toggle>
            </div>
            {mayWrite && (
              <span className="row acts">
                {Object.keys((rule.terms as object | null) ?? {}).length > 0 && (
                  <button type="button" className="btn small" onClick={() => setEditing(rule)}>
                    {texts.edit}
                  </button>
                )}
                <button
                  type="button"
                  className="btn small"
                  disabled={!rule.enabled || test.isPending}
                  onClick={() => test.mutate({ body: { event: rule.event } })}
                >
                  {texts.test}
                </button>
              </span>
            )}
            <span className="mid sentence">{rule.sentence[language]}</span>
            <fieldset className="row wide" aria-label={texts.channel} disabled={!mayWrite}>
              {CHANNELS.map((channel) => (
                <Check
                  key={channel}
                  checked={rule.channels.includes(channel)}
                  onChange={(on) =>
                    change.mutate({
                      params: { event: rule.event },
                      body: {
                        channels: on ? [...rule.channels, channel] : rule.channels.filter((other) => other !== channel),
                      },
                    })
                  }
                >
                  {texts.channels[channel]}
                </Check>
              ))}
            </fieldset>
          </article>
        ))}
      </section>
      <QuietHours known={read.data.quiet_hours} mayWrite={mayWrite} />
      {editing !== undefined && <Terms rule={editing} onClose={() => setEditing(undefined)} />}
    </div>
  );
}

interface TermsInput {
  below?: string | number | null;
  pay?: string | number | null;
  days_left?: number | null;
  percents?: number[];
  days_before?: number[];
  times?: number;
  pause?: boolean;
  error_percent?: number;
}

function Terms({ rule, onClose }: { rule: Rule; onClose(): void }) {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const [terms, setTerms] = useState<TermsInput>((rule.terms as TermsInput | null) ?? {});
  const change = useChange<typeof changeAlertRule>('PATCH /api/console/alerts/rules/:event', {
    stale: STALE,
    done() {
      toast({ text: shared.saved });
      onClose();
    },
  });
  const put = (part: TermsInput) => setTerms((before) => ({ ...before, ...part }));
  const whole = (text: string | null) => (text === null ? null : Math.round(Number(text)));
  const text = (value: number | string | null | undefined) => (value == null ? null : String(value));
  return (
    <Dialog
      title={texts.events[rule.event]}
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={change.isPending}
          onAct={() => change.mutate({ params: { event: rule.event }, body: { terms } })}
        >
          {shared.save}
        </DialogActs>
      }
    >
      {'below' in terms && (
        <NumberField
          label={texts.below}
          unit={shared.toman}
          value={text(terms.below)}
          onChange={(next) => put({ below: next })}
        />
      )}
      {'pay' in terms && (
        <NumberField
          label={texts.pay}
          unit={shared.toman}
          value={text(terms.pay)}
          onChange={(next) => put({ pay: next })}
        />
      )}
      {'days_left' in terms && (
        <NumberField
          label={texts.daysLeft}
          unit={texts.days}
          value={text(terms.days_left)}
          onChange={(next) => put({ days_left: whole(next) })}
        />
      )}
      {'error_percent' in terms && (
        <NumberField
          label={texts.errorPercent}
          unit={texts.percent}
          value={text(terms.error_percent)}
          onChange={(next) => put({ error_percent: whole(next) ?? 20 })}
        />
      )}
      {'times' in terms && (
        <NumberField
          label={texts.times}
          value={text(terms.times)}
          onChange={(next) => put({ times: Number(next ?? '6') })}
        />
      )}
      {'pause' in terms && (
        <Toggle checked={terms.pause === true} onChange={(pause) => put({ pause })}>
          {texts.pause}
        </Toggle>
      )}
      {'percents' in terms && (
        <Numbers label={texts.percents} values={terms.percents ?? []} onChange={(percents) => put({ percents })} />
      )}
      {'days_before' in terms && (
        <Numbers
          label={texts.daysBefore}
          values={terms.days_before ?? []}
          onChange={(days) => put({ days_before: days })}
        />
      )}
      {change.error !== null && <p className="bad">{change.error.message}</p>}
    </Dialog>
  );
}

function Numbers({ label, values, onChange }: { label: string; values: number[]; onChange(next: number[]): void }) {
  const format = useFormat();
  const [typed, setTyped] = useState(
    values.map((value) => format.number(value)).join(format.language === 'fa' ? '، ' : ', '),
  );
  return (
    <TextField
      label={label}
      value={typed}
      onChange={(next) => {
        setTyped(next);
        const plain = latinDigits(next);
        onChange(
          plain
            .split(/[^\d]+/)
            .filter(Boolean)
            .map(Number),
        );
      }}
    />
  );
}

const HALF_HOURS = Array.from(
  { length: 48 },
  (_, n) => `${String(n >> 1).padStart(2, '0')}:${n % 2 === 0 ? '00' : '30'}`,
);

function QuietHours({ known, mayWrite }: { known: { from: string; to: string } | null; mayWrite: boolean }) {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const [from, setFrom] = useState(known?.from ?? '');
  const [to, setTo] = useState(known?.to ?? '');
  const { language } = useFormat();
  const said = (at: string) => (language === 'fa' ? persianDigits(at) : at);
  /** Every half hour, and the chosen moment where it lies between them. */
  const hours = (chosen: string) => [
    ['', texts.noQuiet] as const,
    ...[...new Set([...HALF_HOURS, ...(chosen === '' ? [] : [chosen])])].sort().map((at) => [at, said(at)] as const),
  ];
  const save = useChange<typeof setQuietHours>('PUT /api/console/alerts/quiet-hours', {
    stale: STALE,
    done: () => toast({ text: shared.saved }),
  });
  return (
    <Panel title={texts.quiet}>
      <Form
        className="pad stack gap-m"
        label={texts.quiet}
        onSubmit={() => save.mutate({ body: { from: from === '' ? null : from, to: to === '' ? null : to } })}
      >
        <p className="mid">{texts.quietText}</p>
        <fieldset className="columns" disabled={!mayWrite}>
          <SelectField label={shared.from} value={from} onChange={setFrom} options={hours(from)} />
          <SelectField label={shared.to} value={to} onChange={setTo} options={hours(to)} />
        </fieldset>
        {mayWrite && (
          <div className="row">
            <button type="submit" className="btn" disabled={save.isPending}>
              {shared.save}
            </button>
          </div>
        )}
      </Form>
    </Panel>
  );
}
