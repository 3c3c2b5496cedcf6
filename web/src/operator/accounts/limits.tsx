/** The limits of an account: one gate for each declared field, as the customer edits those of a key. */
import type { changeAccount, getAccount } from '@dargah/api/admin/accounts.ts';
import { ACCOUNT_RULE_FIELDS, CALENDAR_FIELDS, CAP_FIELDS } from '@dargah/core/fields/account-rules.ts';
import type { Field, FieldTable } from '@dargah/core/fields/field.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { useDeclared } from '../../parts/declared.ts';
import { CommitBar, Form, SelectField, TextField } from '../../parts/form.tsx';
import { type Gate, Gates } from '../../parts/gates.tsx';
import { Note, Panel } from '../../parts/page-frame.tsx';
import { RuleControl, useSentence } from '../../parts/rule-control.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { usePickableModels } from '../pickable-models.ts';
import { useTexts } from '../texts.ts';
import { AskReason } from './ask-reason.tsx';
import { DESK_STALE } from './block.tsx';
import { useCloseTexts } from './close-texts.ts';
import { useDeskTexts } from './desk-texts.ts';
import { AccountMargin } from './margin.tsx';

type Account = Result<typeof getAccount>;
type Rules = Record<string, unknown>;

export function AccountLimits({ id }: { id: string }) {
  const read = useRead<typeof getAccount>('GET /api/admin/accounts/:id', { params: { id } });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <span className="skel block" />;
  return (
    <div className="stack">
      <LimitGates key={read.data.updated_at} account={read.data} />
      <NameAndCalendar key={`name ${read.data.updated_at}`} account={read.data} />
      <section className="panel">
        <AccountMargin account={read.data} />
      </section>
    </div>
  );
}

function useSave() {
  const shared = useShared();
  const toast = useToast();
  return useChange<typeof changeAccount>('PATCH /api/admin/accounts/:id', {
    quiet: true,
    stale: DESK_STALE,
    done: () => toast({ text: shared.saved }),
  });
}

function LimitGates({ account }: { account: Account }) {
  const texts = useDeskTexts();
  const format = useFormat();
  const isOfFile = account.managed_by === 'config';
  const mayChange = useStaffMay<typeof changeAccount>(['owner', 'support']) && !isOfFile;
  const shared = useShared();
  const closing = useCloseTexts();
  const [draft, setDraft] = useState<Rules>({});
  const [asking, setAsking] = useState(false);
  const save = useSave();
  const change = (name: string, next: unknown) => setDraft((before) => ({ ...before, [name]: next }));
  const gates = useLimitGates({ ...account.rules, ...draft }, change, !mayChange);
  const changed = Object.keys(draft).length;
  return (
    <Panel title={texts.tabs.limits} aside={<span className="xs dim hs">{texts.limitsLead}</span>}>
      <ChangedBy<typeof changeAccount> roles={['owner', 'support']}>
        {isOfFile && <Note tone="info">{texts.ofFile}</Note>}
        <Gates gates={gates} />
        {asking && (
          <AskReason
            title={closing.whyTitle}
            act={shared.save}
            busy={save.isPending}
            error={save.error?.message}
            onClose={() => setAsking(false)}
            onAct={(reason) =>
              save.mutate({ params: { id: account.id }, body: { rules: draft as Account['rules'], reason } })
            }
          >
            <p className="mid">{closing.whyText}</p>
          </AskReason>
        )}
        {changed > 0 && (
          <CommitBar busy={save.isPending} onReset={() => setDraft({})} onSave={() => setAsking(true)}>
            {texts.unsaved(format.number(changed))}
          </CommitBar>
        )}
      </ChangedBy>
    </Panel>
  );
}

function useLimitGates(rules: Rules, change: (name: string, next: unknown) => void, disabled: boolean): Gate[] {
  const declared = useDeclared();
  const sentenceOf = useAccountSentence();
  const models = usePickableModels();
  const gateOf = (name: string, field: Field, value: unknown, onChange: (next: unknown) => void): Gate => ({
    id: name,
    name: declared(field).label,
    sentence: sentenceOf(field, value),
    control: (
      <RuleControl
        field={field}
        value={value}
        onChange={onChange}
        disabled={disabled}
        suggestions={[]}
        models={models}
      />
    ),
    judged: [],
  });
  return Object.entries(ACCOUNT_RULE_FIELDS as FieldTable).flatMap(([name, field]) => {
    if (field.kind !== 'group') return [gateOf(name, field, rules[name], (next) => change(name, next))];
    const caps = (rules[name] ?? {}) as Rules;
    return Object.entries(CAP_FIELDS as FieldTable).map(([period, cap]) =>
      gateOf(period, cap, caps[period], (next) => change(name, { ...caps, [period]: next })),
    );
  });
}

/** The declared texts speak of a key; for an account some need other texts. */
function useAccountSentence(): (field: Field, value: unknown) => string {
  const texts = useDeskTexts();
  const sentenceOf = useSentence();
  return (field, value) => {
    if (field === ACCOUNT_RULE_FIELDS.paused) return value === true ? texts.keysPaused : texts.keysWork;
    if (value == null && field.kind !== 'list' && field.kind !== 'flag') return texts.noLimit;
    return sentenceOf(field, value);
  };
}

/** What was only in the API: the name, and by which calendar days and months of caps are counted. */
function NameAndCalendar({ account }: { account: Account }) {
  const texts = useDeskTexts();
  const common = useTexts();
  const declared = useDeclared();
  const { language } = useFormat();
  const [name, setName] = useState(account.name);
  const [zone, setZone] = useState(account.calendar.time_zone ?? '');
  const [month, setMonth] = useState<string>(account.calendar.month ?? 'jalali');
  const save = useSave();
  const isOfFile = account.managed_by === 'config';
  const [zoneField, monthField] = [declared(CALENDAR_FIELDS.time_zone), declared(CALENDAR_FIELDS.month)];
  const months =
    language === 'fa' ? { jalali: 'شمسی', gregorian: 'میلادی' } : { jalali: 'Jalali', gregorian: 'Gregorian' };
  const inZone = errorAt(save.error, 'calendar');
  return (
    <Panel title={texts.account}>
      <Form
        className="pad stack gap-m"
        label={texts.account}
        onSubmit={() =>
          save.mutate({
            params: { id: account.id },
            body: { name: name.trim(), calendar: { time_zone: zone.trim(), month: month as 'jalali' } },
          })
        }
      >
        <ChangedBy<typeof changeAccount> roles={['owner', 'support']}>
          <fieldset className="unframed stack gap-m" disabled={isOfFile}>
            <TextField
              label={common.name}
              name="name"
              dir="auto"
              maxLength={200}
              value={name}
              onChange={setName}
              error={inZone === undefined ? save.error?.message : undefined}
            />
            <div className="columns">
              <TextField
                label={zoneField.label}
                hint={zoneField.hint}
                name="time_zone"
                dir="ltr"
                value={zone}
                onChange={setZone}
                error={inZone}
              />
              <SelectField
                label={monthField.label}
                hint={monthField.hint}
                value={month}
                onChange={setMonth}
                options={Object.entries(months)}
              />
            </div>
            <div className="row">
              <button type="submit" className="btn" disabled={name.trim() === '' || save.isPending}>
                {common.save}
              </button>
            </div>
          </fieldset>
        </ChangedBy>
      </Form>
    </Panel>
  );
}
