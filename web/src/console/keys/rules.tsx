import type { changeKey } from '@dargah/api/console/keys.ts';
import type { changePlayground } from '@dargah/api/console/playground.ts';
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { CommitBar } from '../../parts/form.tsx';
import { Gates, type Verdicts } from '../../parts/gates.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useOwnAccount } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { useShownKeyName } from '../key-name.ts';
import { Actions, Overlap, STALE } from './key-acts.tsx';
import type { Key } from './own-key.ts';
import { Tester } from './tester.tsx';
import { useTexts } from './texts.ts';
import { type Editable, type Rules, useGates } from './use-gates.tsx';

export function KeyRules({ value, mayWrite }: { value: Key; mayWrite: boolean }) {
  const texts = useTexts();
  const format = useFormat();
  const shared = useShared();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<Rules>>({});
  const [verdicts, setVerdicts] = useState<Verdicts>();
  const rules: Rules = { ...value.rules, ...draft, caps: { ...value.rules.caps, ...draft.caps } };
  const change = <F extends keyof Rules>(field: F, next: Rules[F]) =>
    setDraft((before) => ({ ...before, [field]: next }));
  const changed = Object.keys(draft).length;
  const done = () => toast({ text: shared.saved });
  const saveRules = useChange<typeof changeKey>('PATCH /api/console/keys/:id', { stale: STALE, done });
  const saveCaps = useChange<typeof changePlayground>('PATCH /api/console/playground', { stale: STALE, done });
  const save = () => {
    const { daily = null, monthly = null } = rules.caps ?? {};
    if (value.playground) saveCaps.mutate({ body: { daily, monthly } });
    else saveRules.mutate({ params: { id: value.id }, body: { rules: draft } });
  };
  const name = useShownKeyName()(value);
  const gates = useGates(value, rules, change, useEditable(value, mayWrite));
  return (
    <section aria-label={texts.rulesOf(name)}>
      <div className="page-head tight">
        <div>
          <h2>{texts.rulesOf(name)}</h2>
          <p className="mid">{value.playground ? texts.playgroundLead : texts.rulesLead}</p>
        </div>
        {mayWrite && value.revoked_at === null && <Actions value={value} />}
      </div>
      {value.overlap !== null && <Overlap value={value} />}
      <div className="aside">
        <div className="panel">
          <Gates gates={gates} verdicts={verdicts} />
          {changed > 0 && (
            <CommitBar
              busy={saveRules.isPending || saveCaps.isPending}
              saveName={texts.saveRules}
              onReset={() => setDraft({})}
              onSave={save}
            >
              {texts.unsaved(format.number(changed))}
            </CommitBar>
          )}
        </div>
        <Tester keyId={value.id} modelRule={value.rules.models} gates={gates} onVerdicts={setVerdicts} />
      </div>
    </section>
  );
}

/** Only two caps of the playground's key can be changed, and only by those who lead the account. */
function useEditable(value: Key, mayWrite: boolean): Editable {
  const role = useOwnAccount()?.role;
  if (value.revoked_at !== null) return { rules: false, caps: [] };
  if (!value.playground) return { rules: mayWrite, caps: mayWrite ? ['daily', 'monthly', 'total'] : [] };
  return { rules: false, caps: role === 'owner' || role === 'admin' ? ['daily', 'monthly'] : [] };
}
