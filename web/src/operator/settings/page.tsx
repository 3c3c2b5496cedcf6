/** Settings of the service; what the configuration file fixes is shown and cannot be changed here. */

import type { changeSettings, getSettings, resetOperatorPassword } from '@dargah/api/admin/service.ts';
import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/live-settings.ts';
import { useState } from 'react';
import type { Input, Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { CopyButton, Id } from '../../parts/copyable.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { CommitBar, NumberField, SelectField, TextField, Toggle } from '../../parts/form.tsx';
import { Note, PageHead, Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { BringGuideBack } from '../setup/bring-back.tsx';
import { useTexts } from '../texts.ts';
import { AutoModels } from './auto-models.tsx';
import { Branding } from './branding.tsx';
import { GatewayOptions } from './gateway-options.tsx';
import { Messenger } from './messenger.tsx';
import { Retention } from './retention.tsx';
import { SiteTexts } from './site-texts.tsx';
import { useSettingTexts } from './texts.ts';

export default function OperatorSettings() {
  const texts = useTexts();
  const mayReset = useStaffMay<typeof resetOperatorPassword>(['owner']);
  const read = useRead<typeof getSettings>('GET /api/admin/settings', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={texts.nav.settings} />
      <div className="stack">
        {read.data !== undefined && <General settings={read.data} />}
        <Branding />
        <SiteTexts />
        <Messenger />
        <GatewayOptions />
        {read.data !== undefined && <Retention settings={read.data} />}
        {mayReset && <Password />}
        <BringGuideBack />
      </div>
    </>
  );
}

type Settings = Result<typeof getSettings>;
const CACHE_PRICE = LIVE_SETTING_FIELDS.cache_price_percent.initial;
const HIDDEN_RATE = LIVE_SETTING_FIELDS.hidden_tokens_per_second.initial;
const SWITCHES = [
  'charge_interrupted',
  'suppliers_shown',
  'own_keys',
  'list_prices_shown',
  'staff_second_factor',
  'operator_tokens',
] as const;

function General({ settings }: { settings: Settings }) {
  const common = useTexts();
  const texts = useSettingTexts();
  const declared = useDeclared();
  const shared = useShared();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<Settings>>({});
  const value = { ...settings, ...draft };
  const fixed = (field: string) => settings.fixed_by_file.includes(field);
  const row = (field: keyof typeof LIVE_SETTING_FIELDS) => {
    const { label, hint } = declared(LIVE_SETTING_FIELDS[field]);
    return { label, hint: fixed(field) ? common.fixedByFile : hint };
  };
  const change = (next: Partial<Settings>) => setDraft((before) => ({ ...before, ...next }));
  const save = useChange<typeof changeSettings>('PATCH /api/admin/settings', {
    stale: ['GET /api/admin/settings'],
    done() {
      setDraft({});
      toast({ text: shared.saved });
    },
  });
  const changed = Object.keys(draft).length;
  return (
    <section className="panel" aria-label={common.nav.settings}>
      <ChangedBy<typeof changeSettings> roles={['owner']}>
        <div className="cut pair-cut">
          <div className="pad stack gap-m">
            <h2>{texts.customers}</h2>
            <SelectField
              label={row('registration').label}
              hint={fixed('registration') ? common.fixedByFile : texts.registrations[value.registration]?.[1]}
              value={value.registration}
              onChange={(next) => change({ registration: next as Settings['registration'] })}
              options={LIVE_SETTING_FIELDS.registration.values.map(
                (id) => [id, texts.registrations[id]?.[0] ?? id] as const,
              )}
            />
            <NumberField
              {...row('welcome_credit')}
              unit={shared.toman}
              value={value.welcome_credit}
              onChange={(next) => change({ welcome_credit: next ?? '0' })}
            />
            <NumberField
              {...row('wallet_minimum')}
              unit={shared.toman}
              value={value.wallet_minimum}
              onChange={(next) => change({ wallet_minimum: next ?? '0' })}
            />
            <NumberField
              {...row('messages_per_day')}
              value={String(value.messages_per_day)}
              onChange={(next) => change({ messages_per_day: Number(next ?? settings.messages_per_day) })}
            />
            <NumberField
              {...row('guarantee_free_per_day')}
              bounds={LIVE_SETTING_FIELDS.guarantee_free_per_day}
              value={String(value.guarantee_free_per_day)}
              onChange={(next) => change({ guarantee_free_per_day: Number(next ?? settings.guarantee_free_per_day) })}
            />
            <NumberField
              {...row('conformance_budget')}
              unit={shared.toman}
              value={value.conformance_budget}
              onChange={(next) => change({ conformance_budget: next ?? '0' })}
            />
            <NumberField
              {...row('cache_price_percent')}
              unit={shared.percentSign}
              bounds={LIVE_SETTING_FIELDS.cache_price_percent}
              value={String(value.cache_price_percent)}
              onChange={(next) => change({ cache_price_percent: Number(next ?? CACHE_PRICE) })}
            />
            <NumberField
              {...row('batch_price_percent')}
              unit={shared.percentSign}
              value={String(value.batch_price_percent)}
              onChange={(next) => change({ batch_price_percent: Number(next ?? settings.batch_price_percent) })}
            />
            <NumberField
              {...row('own_key_fee_percent')}
              unit={shared.percentSign}
              bounds={LIVE_SETTING_FIELDS.own_key_fee_percent}
              value={String(value.own_key_fee_percent)}
              onChange={(next) => change({ own_key_fee_percent: Number(next ?? settings.own_key_fee_percent) })}
            />
            <AutoModels
              {...row('auto_models')}
              value={value.auto_models}
              onChange={(next) => change({ auto_models: next })}
            />
            <TextField
              {...row('knowledge_rerank_model')}
              dir="ltr"
              placeholder="cohere/rerank-v3.5"
              value={value.knowledge_rerank_model ?? ''}
              onChange={(next) => change({ knowledge_rerank_model: next === '' ? null : next })}
            />
            <NumberField
              {...row('hidden_tokens_per_second')}
              unit={texts.tokensPerSecond}
              bounds={LIVE_SETTING_FIELDS.hidden_tokens_per_second}
              value={String(value.hidden_tokens_per_second)}
              onChange={(next) => change({ hidden_tokens_per_second: Number(next ?? HIDDEN_RATE) })}
            />
          </div>
          <div className="pad stack gap-m">
            <h2>{texts.service}</h2>
            {SWITCHES.map((field) => (
              <div key={field} className="stack gap-s">
                <Toggle checked={value[field]} onChange={(next) => change({ [field]: next })} disabled={fixed(field)}>
                  {row(field).label}
                </Toggle>
                <p className="xs dim">{row(field).hint}</p>
              </div>
            ))}
          </div>
        </div>
      </ChangedBy>
      {settings.fixed_by_file.length > 0 && (
        <Note tone="info">
          <span className="row">
            {common.fixedByFile}:
            {settings.fixed_by_file.map((field) => (
              <Id key={field} value={field} boxed />
            ))}
          </span>
        </Note>
      )}
      {changed > 0 && (
        <CommitBar
          busy={save.isPending}
          onReset={() => setDraft({})}
          onSave={() => save.mutate({ body: bodyOf(draft) })}
        >
          {texts.unsaved}
        </CommitBar>
      )}
    </section>
  );
}

/** Only what was changed is sent: two people at two settings do not undo each other. */
function bodyOf(draft: Partial<Settings>): Input<typeof changeSettings>['body'] {
  const changed = (Object.keys(LIVE_SETTING_FIELDS) as (keyof typeof LIVE_SETTING_FIELDS)[]).filter(
    (field) => field in draft,
  );
  return Object.fromEntries(changed.map((field) => [field, draft[field]]));
}

function Password() {
  const texts = useTexts();
  const shared = useShared();
  const [asking, setAsking] = useState(false);
  const reset = useChange<typeof resetOperatorPassword>('POST /api/admin/operators/reset-password', {
    done: () => setAsking(false),
  });
  return (
    <Panel title={texts.resetPassword}>
      <div className="pad stack gap-m">
        <p className="mid text">{texts.resetText}</p>
        <div className="row">
          <button type="button" className="btn" onClick={() => setAsking(true)}>
            {texts.resetPassword}
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={texts.resetPassword}
          act={texts.resetPassword}
          busy={reset.isPending}
          onConfirm={() => reset.mutate({})}
          onClose={() => setAsking(false)}
        >
          <p>{texts.resetText}</p>
        </Confirm>
      )}
      {reset.data !== undefined && (
        <Dialog
          title={texts.resetPassword}
          closable={false}
          onClose={() => reset.reset()}
          footer={
            <button type="button" className="btn main" onClick={() => reset.reset()}>
              {shared.close}
            </button>
          }
        >
          <p>{texts.newPassword}</p>
          <div className="secret">
            <span>{reset.data.operator_password}</span>
            <CopyButton text={reset.data.operator_password} />
          </div>
        </Dialog>
      )}
    </Panel>
  );
}
