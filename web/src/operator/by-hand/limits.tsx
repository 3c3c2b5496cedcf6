/** How much each role may book by hand before a second person is needed. Owners change it. */

import type { getCreditLimits, setCreditLimits } from '@dargah/api/admin/by-hand.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { CommitBar, NumberField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShellWords } from '../../shell/words.ts';
import { useShared } from '../../words/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useHandWords } from './words.ts';

const ROLES = ['owner', 'finance', 'support'] as const;
const FAMILIES = ['credit', 'receipt'] as const;
type Role = (typeof ROLES)[number];
type Limits = Pick<Result<typeof getCreditLimits>, Role>;

export function CreditLimitsForm() {
  const words = useHandWords();
  const read = useRead<typeof getCreditLimits>('GET /api/admin/credit/limits', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <span className="skel block" />;
  const { owner, finance, support } = read.data;
  const stored = { owner, finance, support };
  return (
    <Panel title={words.tabs.limits}>
      <ChangedBy<typeof setCreditLimits> roles={['owner']}>
        <LimitsForm key={JSON.stringify(stored)} stored={stored} />
      </ChangedBy>
    </Panel>
  );
}

function LimitsForm({ stored }: { stored: Limits }) {
  const words = useHandWords();
  const shared = useShared();
  const toast = useToast();
  const { staffRoles } = useShellWords();
  const [limits, setLimits] = useState(stored);
  const save = useChange<typeof setCreditLimits>('PUT /api/admin/credit/limits', {
    quiet: true,
    stale: ['GET /api/admin/credit/limits'],
    done: () => toast({ text: shared.saved }),
  });
  const isChanged = JSON.stringify(limits) !== JSON.stringify(stored);
  const change = (role: Role, family: 'credit' | 'receipt', next: Partial<{ act: string; day: string }>) =>
    setLimits((before) => ({
      ...before,
      [role]: { ...before[role], [family]: { ...before[role][family], ...next } },
    }));
  return (
    <>
      <div className="pad stack m">
        <p className="mid">{words.limitsText}</p>
        {ROLES.flatMap((role) =>
          // Support takes no receipts.
          FAMILIES.filter((family) => role !== 'support' || family === 'credit').map((family) => (
            <fieldset key={`${role}-${family}`} className="unframed stack s">
              <legend className="label">
                {staffRoles[role]} · {words.families[family]}
              </legend>
              <div className="columns">
                <NumberField
                  label={words.perAct}
                  unit={shared.toman}
                  name={`${role}_${family}_act`}
                  value={limits[role][family].act}
                  onChange={(act) => change(role, family, { act: act ?? '0' })}
                />
                <NumberField
                  label={words.perDay}
                  unit={shared.toman}
                  name={`${role}_${family}_day`}
                  value={limits[role][family].day}
                  onChange={(day) => change(role, family, { day: day ?? '0' })}
                />
              </div>
            </fieldset>
          )),
        )}
      </div>
      {isChanged && (
        <CommitBar busy={save.isPending} onReset={() => setLimits(stored)} onSave={() => save.mutate({ body: limits })}>
          {save.error === null ? shared.unsaved : save.error.message}
        </CommitBar>
      )}
    </>
  );
}
