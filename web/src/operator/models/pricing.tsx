/** The exchange rate and the margins of all layers: what holds now, what is announced, and a change that shows what it does first. */

import type { changePricing, getPricing, previewPricing, withdrawPricing } from '@dargah/api/admin/pricing.ts';
import { useId, useMemo, useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { addDays, type Day, dayAt, startOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { DateField } from '../../parts/date-field.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, NumberField, SelectField } from '../../parts/form.tsx';
import { ModelPicker } from '../../parts/model-picker.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { usePreferences } from '../../preferences.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { usePickableModels } from '../pickable-models.ts';
import { STALE } from './money-fields.ts';
import { type Change, Proposal } from './proposal.tsx';
import { useModelTexts } from './texts.ts';

type What = 'rate' | 'global' | 'vendor' | 'model';

export function Pricing() {
  const texts = useModelTexts();
  const pricing = useRead<typeof getPricing>('GET /api/admin/pricing', {}).data;
  const mayChange = useStaffMay<typeof changePricing>(['owner', 'finance']);
  const [asked, setAsked] = useState<Change>();
  const preview = useChange<typeof previewPricing>('POST /api/admin/pricing/preview');
  const ask = (change: Change) => {
    setAsked(change);
    preview.mutate({ body: change });
  };
  return (
    <Panel title={texts.rate}>
      <div className="cut pair-cut">
        <InForce
          pricing={pricing}
          {...(mayChange
            ? {
                onTakeAway: (layer: 'vendor' | 'model', subject: string) =>
                  ask({ margins: [{ layer, subject, margin: null }] }),
              }
            : {})}
        />
        {mayChange ? (
          <TryOut busy={preview.isPending} onAsk={ask} />
        ) : (
          <div className="pad">
            <WhoMay<typeof changePricing> roles={['owner', 'finance']} />
          </div>
        )}
      </div>
      {pricing !== undefined && pricing.announced.length > 0 && <Announced announced={pricing.announced} />}
      {asked !== undefined && preview.data !== undefined && (
        <Proposal change={asked} preview={preview.data} onClose={() => preview.reset()} />
      )}
    </Panel>
  );
}

function InForce({
  pricing,
  onTakeAway,
}: {
  pricing: Result<typeof getPricing> | undefined;
  /** Absent where my role may not change it. */
  onTakeAway?(layer: 'vendor' | 'model', subject: string): void;
}) {
  const texts = useModelTexts();
  const format = useFormat();
  const origin = pricing?.exchange_rate_origin ?? '';
  return (
    <div className="pad stack gap-m">
      <div>
        <span className="label">{texts.rateNow}</span>
        <div className="fig">
          {pricing === undefined ? <span className="skel w0" /> : format.money(pricing.exchange_rate)}
        </div>
        <span className="xs dim">
          {texts.perDollar}
          {pricing !== undefined && (
            <>
              {' · '}
              {labelOf(texts.origins, origin) ?? <bdi dir="ltr">{origin}</bdi>}
              {pricing.exchange_rate_since !== null &&
                ` · ${texts.since(format.dateTime(pricing.exchange_rate_since))}`}
            </>
          )}
        </span>
      </div>
      <div className="stack gap-s">
        <h3>{texts.margins}</h3>
        <p className="xs dim">{texts.marginsText}</p>
        <ul className="stack gap-s">
          {pricing?.margins.map(({ layer, subject, margin }) => (
            <li key={`${layer} ${subject ?? ''}`} className="row between keep">
              <span>
                {labelOf(texts.layers, layer) ?? layer} {subject !== null && <Id value={subject} />}
              </span>
              <span className="row keep">
                <b>{format.percent(Number(margin), 2)}</b>
                {onTakeAway !== undefined && subject !== null && (layer === 'vendor' || layer === 'model') && (
                  <button type="button" className="btn small" onClick={() => onTakeAway(layer, subject)}>
                    {texts.takeAway}
                  </button>
                )}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function TryOut({ busy, onAsk }: { busy: boolean; onAsk(change: Change): void }) {
  const texts = useModelTexts();
  const { percentSign } = useShared();
  const { timeZone } = usePreferences();
  const [what, setWhat] = useState<What>('rate');
  const [subject, setSubject] = useState('');
  const [value, setValue] = useState<string | null>(null);
  const [day, setDay] = useState<Day | null>(null);
  const named = what === 'vendor' || what === 'model';
  const models = usePickableModels();
  const labels = useId();
  const makers = useMemo(() => [...new Set(models?.data.map(({ vendor }) => vendor))].sort(), [models]);
  // A margin of a vendor or model can be removed; the rate and the global margin can only be replaced.
  const ready = named ? subject.trim() !== '' : value !== null;
  const margin = value === null ? null : String(Number((Number(value) / 100).toFixed(8)));
  return (
    <Form
      className="pad stack gap-m"
      label={texts.changeTitle}
      onSubmit={() => {
        const when = day === null ? {} : { effective_at: startOf(day, timeZone).toISOString() };
        if (what === 'rate') {
          if (value !== null) onAsk({ exchange_rate: value, ...when });
        } else onAsk({ margins: [{ layer: what, ...(named ? { subject: subject.trim() } : {}), margin }], ...when });
      }}
    >
      <h3>{texts.changeTitle}</h3>
      <div className="columns">
        <SelectField
          label={texts.changeWhat}
          value={what}
          onChange={(next) => {
            setWhat(next as What);
            setSubject('');
            setValue(null);
          }}
          options={Object.entries(texts.changes)}
        />
        {what === 'vendor' && (
          <SelectField
            label={texts.subject[what] ?? ''}
            name="subject"
            value={subject}
            onChange={setSubject}
            options={[['', '—'], ...makers.map((id) => [id, id] as const)]}
          />
        )}
        {what === 'model' && (
          <div className="field">
            <span className="label" id={labels}>
              {texts.subject[what] ?? ''}
            </span>
            <ModelPicker
              label={texts.subject[what] ?? ''}
              labelledBy={labels}
              source={models}
              value={subject}
              onChange={setSubject}
            />
          </div>
        )}
        <NumberField
          key={what}
          label={texts.newValue}
          name="value"
          unit={what === 'rate' ? texts.perDollar : percentSign}
          signed={what !== 'rate'}
          {...(named ? { hint: texts.emptyTakesAway } : {})}
          value={value}
          onChange={setValue}
        />
        <DateField
          label={texts.when}
          hint={texts.whenHint}
          empty={texts.now}
          earliest={addDays(dayAt(Date.now(), timeZone), 1)}
          value={day}
          onChange={setDay}
        />
      </div>
      <div className="row">
        <button type="submit" className="btn main" disabled={!ready || busy}>
          {texts.preview}
        </button>
      </div>
    </Form>
  );
}

function Announced({ announced }: { announced: Result<typeof getPricing>['announced'] }) {
  const texts = useModelTexts();
  const format = useFormat();
  const toast = useToast();
  const mayWithdraw = useStaffMay<typeof withdrawPricing>(['owner', 'finance']);
  const withdraw = useChange<typeof withdrawPricing>('DELETE /api/admin/pricing/announced/:id', {
    stale: STALE,
    done: () => toast({ text: texts.withdrawn }),
  });
  return (
    <div className="pad under stack gap-s">
      <h3>{texts.announced}</h3>
      <ul className="stack gap-s">
        {announced.map((term) => {
          const isRate = term.kind === 'rate';
          const value =
            term.value === null
              ? texts.takeAway
              : isRate
                ? format.money(term.value)
                : format.percent(Number(term.value), 2);
          return (
            <li key={term.id} className="row between">
              <span>
                {isRate ? texts.changes['rate'] : (labelOf(texts.changes, term.layer) ?? term.layer)}{' '}
                {term.subject !== null && <Id value={term.subject} />} <b>{value}</b>
              </span>
              <span className="row keep">
                <Moment at={term.effective_at} exact />
                {mayWithdraw && (
                  <button
                    type="button"
                    className="btn small"
                    disabled={withdraw.isPending}
                    onClick={() => withdraw.mutate({ params: { id: term.id } })}
                  >
                    {texts.withdraw}
                  </button>
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
