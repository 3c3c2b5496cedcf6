/** How much each role may book by hand before a second person is needed. Owners change it. */

import type { getCreditLimits, setCreditLimits } from '@dargah/api/admin/by-hand.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { CommitBar, NumberField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShellTexts } from '../../shell/texts.ts';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useHandTexts } from './texts.ts';

const ROLES = ['owner', 'finance', 'support'] as const;
const FAMILIES = ['credit', 'receipt'] as const;
type Role = (typeof ROLES)[number];
type Limits = Pick<Result<typeof getCreditLimits>, Role | 'day_notice'>;

export function CreditLimitsForm() {
  const texts = useHandTexts();
  const read = useRead<typeof getCreditLimits>('GET /api/admin/credit/limits', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <span className="skel block" />;
  const { owner, finance, support, day_notice } = read.data;
  const stored = { owner, finance, support, day_notice };
  return (
    <Panel title={texts.tabs.limits}>
      <ChangedBy<typeof setCreditLimits> roles={['owner']}>
        <LimitsForm key={JSON.stringify(stored)} stored={stored} />
      </ChangedBy>
    </Panel>
  );
}

function LimitsForm({ stored }: { stored: Limits }) {
  const texts = useHandTexts();
  const shared = useShared();
  const toast = useToast();
  const { staffRoles } = useShellTexts();
  const [limits, setLimits] = useState(stored);
  const save = useChange<typeof setCreditLimits>('PUT /api/admin/credit/limits', {
    quiet: true,
    stale: ['GET /api/admin/credit/limits'],
    done: () => toast({ text: shared.saved }),
  });
  const isChanged = JSON.stringify(limits) !== JSON.stringify(stored);
  const change = (
    role: Role,
    family: 'credit' | 'receipt',
    next: Partial<{ act: string; day: string; account: string | null }>,
  ) =>
    setLimits((before) => ({
      ...before,
      [role]: { ...before[role], [family]: { ...before[role][family], ...next } },
    }));
  return (
    <>
      <div className="pad stack gap-m">
        <p className="mid">{texts.limitsText}</p>
        {ROLES.flatMap((role) =>
          // Support cannot enter receipts.
          FAMILIES.filter((family) => role !== 'support' || family === 'credit').map((family) => (
            <fieldset key={`${role}-${family}`} className="unframed stack gap-s">
              <legend className="label">
                {staffRoles[role]} · {texts.families[family]}
              </legend>
              <div className="columns">
                <NumberField
                  label={texts.perAct}
                  unit={shared.toman}
                  name={`${role}_${family}_act`}
                  value={limits[role][family].act}
                  onChange={(act) => change(role, family, { act: act ?? '0' })}
                />
                <NumberField
                  label={texts.perDay}
                  unit={shared.toman}
                  name={`${role}_${family}_day`}
                  value={limits[role][family].day}
                  onChange={(day) => change(role, family, { day: day ?? '0' })}
                />
                <NumberField
                  label={texts.perAccount}
                  unit={shared.toman}
                  name={`${role}_${family}_account`}
                  placeholder={texts.noLimit}
                  value={limits[role][family].account}
                  onChange={(account) => change(role, family, { account })}
                />
              </div>
            </fieldset>
          )),
        )}
        <NumberField
          label={texts.dayNotice}
          unit={shared.toman}
          name="day_notice"
          value={limits.day_notice}
          onChange={(amount) => setLimits((before) => ({ ...before, day_notice: amount ?? '0' }))}
        />
      </div>
      {isChanged && (
        <CommitBar busy={save.isPending} onReset={() => setLimits(stored)} onSave={() => save.mutate({ body: limits })}>
          {save.error === null ? shared.unsaved : save.error.message}
        </CommitBar>
      )}
    </>
  );
}
