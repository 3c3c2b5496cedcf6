/** How long what is kept is kept. What the configuration file decides is only shown. */

import type { changeSettings, getSettings } from '@dargah/api/admin/service.ts';
import { RETENTION_FIELDS } from '@dargah/core/fields/retention.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { CommitBar, NumberField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useSettingTexts } from './texts.ts';

const DAY_MS = 86_400_000;
type Settings = Result<typeof getSettings>;
type Name = keyof typeof RETENTION_FIELDS;
const NAMES = Object.keys(RETENTION_FIELDS) as Name[];
/** People count days, whatever the setting counts. */
const unitOf = (name: Name) => (RETENTION_FIELDS[name].unit === 'ms' ? DAY_MS : 1);

export function Retention({ settings }: { settings: Settings }) {
  const { retention: texts } = useSettingTexts();
  const shared = useShared();
  const format = useFormat();
  const declared = useDeclared();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<Record<Name, number>>>({});
  const [asking, setAsking] = useState(false);
  const save = useChange<typeof changeSettings>('PATCH /api/admin/settings', {
    stale: ['GET /api/admin/settings'],
    quiet: true,
    done() {
      setDraft({});
      setAsking(false);
      toast({ text: shared.saved });
    },
  });
  const shorter = NAMES.some((name) => (draft[name] ?? settings[name]) < settings[name]);
  const send = () => save.mutate({ body: draft });
  return (
    <Panel title={texts.title}>
      <ChangedBy<typeof changeSettings> roles={['owner']}>
        <div className="pad columns">
          {NAMES.map((name) => {
            const { label, hint } = declared(RETENTION_FIELDS[name]);
            const isFixed = settings.fixed_by_file.includes(name);
            const { min, max } = RETENTION_FIELDS[name];
            const days = (draft[name] ?? settings[name]) / unitOf(name);
            const source = isFixed
              ? texts.byFile
              : `${hint} ${texts.sources[settings.sources[name] ?? 'default'] ?? ''}`;
            return isFixed ? (
              <div key={name} className="field">
                <span className="label">{label}</span>
                <span className="strong">{texts.days(format.number(Math.round(days * 10) / 10))}</span>
                <span className="hint">
                  {source} <Id value={name} />
                </span>
              </div>
            ) : (
              <NumberField
                key={name}
                label={label}
                hint={source}
                name={name}
                unit={texts.unit}
                bounds={{ min: min / unitOf(name), max: max / unitOf(name) }}
                value={String(Math.round(days * 10) / 10)}
                onChange={(next) =>
                  next !== null &&
                  setDraft((before) => ({ ...before, [name]: Math.round(Number(next) * unitOf(name)) }))
                }
                error={errorAt(save.error, name)}
              />
            );
          })}
        </div>
      </ChangedBy>
      <p className="pad under xs dim">
        {texts.idempotency}:{' '}
        {texts.days(format.number(Math.round((settings.retention.idempotency_ms / DAY_MS) * 10) / 10))}{' '}
        <Id value="idempotency_keep_ms" /> · {texts.hint}
      </p>
      {Object.keys(draft).length > 0 && (
        <CommitBar
          busy={save.isPending}
          onReset={() => setDraft({})}
          onSave={() => (shorter ? setAsking(true) : send())}
        >
          {save.error === null ? shared.unsaved : save.error.message}
        </CommitBar>
      )}
      {asking && (
        <Confirm
          title={texts.shorterTitle}
          act={texts.shorterAct}
          busy={save.isPending}
          onConfirm={send}
          onClose={() => setAsking(false)}
        >
          <p>{texts.shorterText}</p>
        </Confirm>
      )}
    </Panel>
  );
}
