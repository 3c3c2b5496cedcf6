import { useState } from 'react';
import type { changeKey } from '../../../../server/src/http/console/routes/keys.ts';
import { useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { CommitBar } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../words/shared.ts';
import { Gates } from './gates.tsx';
import { Actions, Overlap, STALE } from './key-acts.tsx';
import type { Key } from './page.tsx';
import { Tester } from './tester.tsx';
import { type Rules, useGates, type Verdicts } from './use-gates.tsx';
import { useWords } from './words.ts';

export function KeyRules({ value, mayWrite }: { value: Key; mayWrite: boolean }) {
  const words = useWords();
  const format = useFormat();
  const shared = useShared();
  const toast = useToast();
  const [draft, setDraft] = useState<Partial<Rules>>({});
  const [verdicts, setVerdicts] = useState<Verdicts>();
  const rules: Rules = { ...value.rules, ...draft, caps: { ...value.rules.caps, ...draft.caps } };
  const change = <F extends keyof Rules>(field: F, next: Rules[F]) =>
    setDraft((before) => ({ ...before, [field]: next }));
  const changed = Object.keys(draft).length;
  const save = useChange<typeof changeKey>('PATCH /api/console/keys/:id', {
    stale: STALE,
    done: () => toast({ text: shared.saved }),
  });
  const gates = useGates(value, rules, change, mayWrite && value.revoked_at === null);
  return (
    <section aria-label={words.rulesOf(value.name)}>
      <div className="page-head tight">
        <div>
          <h2>{words.rulesOf(value.name)}</h2>
          <p className="mid">{words.rulesLead}</p>
        </div>
        {mayWrite && value.revoked_at === null && <Actions value={value} />}
      </div>
      {value.overlap !== null && <Overlap value={value} />}
      <div className="aside">
        <div className="panel">
          <Gates gates={gates} verdicts={verdicts} />
          {changed > 0 && (
            <CommitBar
              busy={save.isPending}
              saveName={words.saveRules}
              onReset={() => setDraft({})}
              onSave={() => save.mutate({ params: { id: value.id }, body: { rules: draft } })}
            >
              {words.unsaved(format.number(changed))}
            </CommitBar>
          )}
        </div>
        <Tester keyId={value.id} onVerdicts={setVerdicts} />
      </div>
    </section>
  );
}
