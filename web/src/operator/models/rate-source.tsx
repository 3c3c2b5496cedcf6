/** The address that the exchange rate is read from, its bounds, and how the last reading went. */
import { useState } from 'react';
import type {
  fetchRate,
  getRateSource,
  removeRateSource,
  setRateSource,
} from '../../../../server/src/http/admin/routes/pricing.ts';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { NumberField, SelectField, TextField, Toggle } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useShared } from '../../texts/shared.ts';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { STALE } from './money-fields.ts';
import { useModelTexts } from './texts.ts';

type Source = NonNullable<Result<typeof getRateSource>['source']>;

export function RateSource() {
  const texts = useModelTexts();
  const [editing, setEditing] = useState(false);
  const read = useRead<typeof getRateSource>('GET /api/admin/pricing/rate-source', {});
  const now = useChange<typeof fetchRate>('POST /api/admin/pricing/rate-source/fetch', { stale: STALE });
  const remove = useChange<typeof removeRateSource>('DELETE /api/admin/pricing/rate-source', { stale: STALE });
  const mayChange = useStaffMay<typeof setRateSource>(['owner', 'finance']);
  const source = read.data?.source ?? null;
  const busy = now.isPending || remove.isPending;
  return (
    <Panel
      title={texts.address}
      aside={
        mayChange && (
          <>
            {source !== null && (
              <>
                <button type="button" className="btn small" disabled={busy} onClick={() => remove.mutate({})}>
                  {texts.removeAddress}
                </button>
                <button type="button" className="btn small" disabled={busy} onClick={() => now.mutate({})}>
                  {texts.readNow}
                </button>
              </>
            )}
            <button type="button" className="btn small" onClick={() => setEditing(true)}>
              {texts.setAddress}
            </button>
          </>
        )
      }
    >
      <WhoMay<typeof setRateSource> roles={['owner', 'finance']} />
      {source === null ? <p className="pad dim">{texts.noAddress}</p> : <Reading source={source} />}
      {editing && <SourceDialog source={source} onClose={() => setEditing(false)} />}
    </Panel>
  );
}

function Reading({ source }: { source: Source }) {
  const texts = useModelTexts();
  const format = useFormat();
  return (
    <dl className="facts pad">
      <dt>{texts.url}</dt>
      <dd>
        <Id value={source.url} copy /> <Id value={source.field} />
      </dd>
      <dt>{texts.lastGood}</dt>
      <dd>
        {source.rate === null ? '—' : format.money(source.rate)}{' '}
        {source.ok_at !== null && (
          <span className="dim">
            <Moment at={source.ok_at} />
          </span>
        )}{' '}
        <Pill tone={source.stale ? 'bad' : 'ok'}>{source.stale ? texts.stale : texts.fresh}</Pill>
      </dd>
      <dt>{texts.lastRead}</dt>
      <dd>{source.tried_at === null ? '—' : <Moment at={source.tried_at} />}</dd>
      {source.problem !== null && (
        <>
          <dt>{texts.problem}</dt>
          <dd className="bad">
            <bdi>{source.problem}</bdi>
          </dd>
        </>
      )}
    </dl>
  );
}

const NUMBERS = ['every_minutes', 'least', 'most', 'most_change_percent', 'stale_hours'] as const;
type NumberName = (typeof NUMBERS)[number];
const USUAL: Record<NumberName, string | null> = {
  every_minutes: '30',
  least: null,
  most: null,
  most_change_percent: '5',
  stale_hours: '24',
};

function SourceDialog({ source, onClose }: { source: Source | null; onClose(): void }) {
  const texts = useModelTexts();
  const shared = useShared();
  const [url, setUrl] = useState(source?.url ?? '');
  const [field, setField] = useState(source?.field ?? '');
  const [unit, setUnit] = useState<string>(source?.unit ?? 'toman');
  const [stop, setStop] = useState(source?.stop_when_stale ?? false);
  const [numbers, setNumbers] = useState<Record<NumberName, string | null>>(() =>
    source === null ? USUAL : (Object.fromEntries(NUMBERS.map((name) => [name, String(source[name])])) as typeof USUAL),
  );
  const save = useChange<typeof setRateSource>('PUT /api/admin/pricing/rate-source', {
    stale: STALE,
    quiet: true,
    done: onClose,
  });
  const names: Record<NumberName, string> = {
    every_minutes: texts.every,
    least: texts.least,
    most: texts.most,
    most_change_percent: texts.step,
    stale_hours: texts.staleAfter,
  };
  const ready = url.trim() !== '' && NUMBERS.every((name) => numbers[name] !== null);
  const send = () =>
    save.mutate({
      body: {
        url: url.trim(),
        field: field.trim(),
        unit: unit as 'toman' | 'rial',
        stop_when_stale: stop,
        least: numbers.least ?? '0',
        most: numbers.most ?? '0',
        every_minutes: Number(numbers.every_minutes),
        most_change_percent: Number(numbers.most_change_percent),
        stale_hours: Number(numbers.stale_hours),
      },
    });
  const error = (name: string) => errorAt(save.error, name);
  return (
    <Dialog
      title={texts.address}
      wide
      onClose={onClose}
      footer={
        <DialogActs onClose={onClose} disabled={!ready || save.isPending} onAct={send}>
          {shared.save}
        </DialogActs>
      }
    >
      <div className="columns">
        <TextField
          label={texts.url}
          dir="ltr"
          placeholder="https://"
          value={url}
          onChange={setUrl}
          error={error('url')}
        />
        <TextField
          label={texts.pointer}
          hint={texts.pointerHint}
          dir="ltr"
          value={field}
          onChange={setField}
          error={error('field')}
        />
        <SelectField label={texts.unit} value={unit} onChange={setUnit} options={Object.entries(texts.units)} />
        {NUMBERS.map((name) => (
          <NumberField
            key={name}
            label={names[name]}
            value={numbers[name]}
            onChange={(next) => setNumbers((before) => ({ ...before, [name]: next }))}
            error={error(name)}
          />
        ))}
      </div>
      <Toggle checked={stop} onChange={setStop}>
        {texts.stopWhenStale}
      </Toggle>
      {save.error !== null && <p className="bad">{save.error.message}</p>}
    </Dialog>
  );
}
