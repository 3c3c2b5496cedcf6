/** Figures and switches of the service, by what they are about: customers, prices, models, what is open to whom. */

import type { changeSettings, getSettings } from '@dargah/api/admin/service.ts';
import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/live-settings.ts';
import { useState } from 'react';
import type { Input, Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { CommitBar, NumberField, SelectField, TextField, Toggle } from '../../parts/form.tsx';
import { Note } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useTexts } from '../texts.ts';
import { AutoModels } from './auto-models.tsx';
import { useSettingTexts } from './texts.ts';

type Settings = Result<typeof getSettings>;
type Name = keyof typeof LIVE_SETTING_FIELDS;
type Switch =
  | 'charge_interrupted'
  | 'suppliers_shown'
  | 'own_keys'
  | 'list_prices_shown'
  | 'staff_second_factor'
  | 'operator_tokens';
type Whole =
  | 'messages_per_day'
  | 'guarantee_free_per_day'
  | 'guarantee_toman_per_day'
  | 'cache_price_percent'
  | 'batch_price_percent'
  | 'own_key_fee_percent'
  | 'hidden_tokens_per_second';
type Toman = 'welcome_credit' | 'wallet_minimum' | 'conformance_budget';

interface Editing {
  value: Settings;
  change(next: Partial<Settings>): void;
  fixed(field: Name): boolean;
  row(field: Name): { label: string; hint: string };
}

export function General({ settings }: { settings: Settings }) {
  const common = useTexts();
  const texts = useSettingTexts();
  const declared = useDeclared();
  const shared = useShared();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<Settings>>({});
  const fixed = (field: Name) => settings.fixed_by_file.includes(field);
  const editing: Editing = {
    value: { ...settings, ...draft },
    change: (next) => setDraft((before) => ({ ...before, ...next })),
    fixed,
    row(field) {
      const { label, hint } = declared(LIVE_SETTING_FIELDS[field]);
      return { label, hint: fixed(field) ? common.fixedByFile : hint };
    },
  };
  const save = useChange<typeof changeSettings>('PATCH /api/admin/settings', {
    stale: ['GET /api/admin/settings'],
    done() {
      setDraft({});
      toast({ text: shared.saved });
    },
  });
  return (
    <section className="panel" aria-label={common.nav.settings}>
      <ChangedBy<typeof changeSettings> roles={['owner']}>
        <div className="cut pair-cut">
          <Customers editing={editing} />
          <Service editing={editing} />
        </div>
        <div className="cut pair-cut under">
          <Prices editing={editing} />
          <Models editing={editing} />
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
      {Object.keys(draft).length > 0 && (
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

/** Only changed fields are sent, so that two people do not undo each other's changes. */
function bodyOf(draft: Partial<Settings>): Input<typeof changeSettings>['body'] {
  const changed = (Object.keys(LIVE_SETTING_FIELDS) as Name[]).filter((field) => field in draft);
  return Object.fromEntries(changed.map((field) => [field, draft[field]]));
}

function Customers({ editing }: { editing: Editing }) {
  const common = useTexts();
  const texts = useSettingTexts();
  const { value, change, fixed, row } = editing;
  return (
    <div className="pad stack gap-m">
      <h2>{texts.customers}</h2>
      <SelectField
        label={row('registration').label}
        hint={fixed('registration') ? common.fixedByFile : texts.registrations[value.registration]?.[1]}
        value={value.registration}
        onChange={(next) => change({ registration: next as Settings['registration'] })}
        options={LIVE_SETTING_FIELDS.registration.values.map((id) => [id, texts.registrations[id]?.[0] ?? id] as const)}
      />
      <TomanSetting field="welcome_credit" editing={editing} />
      <TomanSetting field="wallet_minimum" editing={editing} />
      <WholeSetting field="messages_per_day" editing={editing} />
    </div>
  );
}

function Service({ editing }: { editing: Editing }) {
  const texts = useSettingTexts();
  return (
    <div className="pad stack gap-m">
      <h2>{texts.service}</h2>
      <SwitchSetting field="suppliers_shown" editing={editing} />
      <SwitchSetting field="list_prices_shown" editing={editing} />
      <SwitchSetting field="staff_second_factor" editing={editing} />
      <SwitchSetting field="operator_tokens" editing={editing} />
    </div>
  );
}

function Prices({ editing }: { editing: Editing }) {
  const texts = useSettingTexts();
  const { percentSign } = useShared();
  return (
    <div className="pad stack gap-m">
      <h2>{texts.prices}</h2>
      <WholeSetting field="batch_price_percent" unit={percentSign} editing={editing} />
      <WholeSetting field="cache_price_percent" unit={percentSign} editing={editing} />
      <WholeSetting field="guarantee_free_per_day" editing={editing} />
      <WholeSetting field="guarantee_toman_per_day" editing={editing} />
      <SwitchSetting field="charge_interrupted" editing={editing} />
      <WholeSetting field="hidden_tokens_per_second" unit={texts.tokensPerSecond} editing={editing} />
    </div>
  );
}

function Models({ editing }: { editing: Editing }) {
  const texts = useSettingTexts();
  const { percentSign } = useShared();
  const { value, change, row } = editing;
  return (
    <div className="pad stack gap-m">
      <h2>{texts.routes}</h2>
      <SwitchSetting field="own_keys" editing={editing} />
      <WholeSetting field="own_key_fee_percent" unit={percentSign} editing={editing} />
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
      <TomanSetting field="conformance_budget" editing={editing} />
    </div>
  );
}

/** An empty field means the default of a new service. */
function WholeSetting({ field, unit, editing }: { field: Whole; unit?: string; editing: Editing }) {
  const { value, change, row } = editing;
  const bounds = LIVE_SETTING_FIELDS[field];
  return (
    <NumberField
      {...row(field)}
      {...(unit === undefined ? {} : { unit })}
      bounds={bounds}
      value={String(value[field])}
      onChange={(next) => change({ [field]: Number(next ?? bounds.initial) })}
    />
  );
}

function TomanSetting({ field, editing }: { field: Toman; editing: Editing }) {
  const { toman } = useShared();
  const { value, change, row } = editing;
  return (
    <NumberField
      {...row(field)}
      unit={toman}
      value={value[field]}
      onChange={(next) => change({ [field]: next ?? '0' })}
    />
  );
}

function SwitchSetting({ field, editing }: { field: Switch; editing: Editing }) {
  const { value, change, fixed, row } = editing;
  const { label, hint } = row(field);
  return (
    <div className="stack gap-s">
      <Toggle checked={value[field]} onChange={(next) => change({ [field]: next })} disabled={fixed(field)}>
        {label}
      </Toggle>
      <p className="xs dim">{hint}</p>
    </div>
  );
}
