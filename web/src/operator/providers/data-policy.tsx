/** What a provider does with what it is sent: said by the operator, or as its vendor publishes it. */
import type { changeProvider } from '@dargah/api/admin/providers.ts';
import { MAX_RETENTION_DAYS } from '@dargah/core/data-policy.ts';
import { useState } from 'react';
import { errorAt, useChange } from '../../api/read.ts';
import { Form, NumberField, SelectField, TextField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { dictionary } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useTexts } from '../texts.ts';
import { type Provider, STALE } from './own-provider.ts';

const fa = {
  title: 'سیاست داده',
  lead: 'کلید یا درخواستی که سیاستی بخواهد فقط از مسیری می‌رود که آن را اعلام کرده باشد. چیزی را که نمی‌دانید خالی بگذارید.',
  fromVendor: 'آنچه سازنده برای همه منتشر کرده است. اگر قرارداد شما چیز دیگری می‌گوید، همان را ثبت کنید.',
  fromOperator: 'خودتان ثبت کرده‌اید.',
  training: 'آموزش مدل با داده‌ها',
  unstated: 'اعلام نشده',
  no: 'نه',
  yes: 'بله',
  retention: 'نگهداری، روز',
  retentionHint: '۰ یعنی نگه نمی‌دارد؛ خالی یعنی اعلام نشده.',
  region: 'منطقه',
  regionHint: 'دو حرف مانند \u2066de\u2069، یا \u2066eu\u2069؛ خالی یعنی اعلام نشده.',
  asVendor: 'همان که سازنده می‌گوید',
};

const en: typeof fa = {
  title: 'Data policy',
  lead: 'A key or request that demands a policy goes only by routes that state it. Leave empty what you do not know.',
  fromVendor: 'What the vendor publishes for everybody. If your contract says something else, say that.',
  fromOperator: 'Said by you.',
  training: 'Models trained with the data',
  unstated: 'Not stated',
  no: 'No',
  yes: 'Yes',
  retention: 'Kept, days',
  retentionHint: '0: not kept; empty: not stated.',
  region: 'Region',
  regionHint: 'Two letters such as de, or eu; empty: not stated.',
  asVendor: 'As the vendor publishes',
};

const useOwnTexts = dictionary(fa, en);

export function DataPolicySection({ provider }: { provider: Provider }) {
  const own = useOwnTexts();
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const policy = provider.data_policy;
  const [training, setTraining] = useState(policy.training === null ? '' : policy.training ? 'yes' : 'no');
  const [days, setDays] = useState<string | null>(
    policy.retention_days === null ? null : String(policy.retention_days),
  );
  const [region, setRegion] = useState(policy.region ?? '');
  const change = useChange<typeof changeProvider>('PATCH /api/admin/providers/:id', {
    stale: STALE,
    quiet: true,
    done: () => toast({ text: shared.saved }),
  });
  const params = { id: provider.id };
  const isFile = provider.managed_by === 'config';
  return (
    <section>
      <h3>{own.title}</h3>
      <p className="xs mid">{own.lead}</p>
      <p className="xs dim">{provider.data_policy_source === 'operator' ? own.fromOperator : own.fromVendor}</p>
      <Form
        className="stack gap-m"
        label={own.title}
        onSubmit={() =>
          change.mutate({
            params,
            body: {
              data_policy: {
                training: training === '' ? null : training === 'yes',
                retention_days: days === null ? null : Math.round(Number(days)),
                region: region.trim() === '' ? null : region.trim().toLowerCase(),
              },
            },
          })
        }
      >
        <ChangedBy<typeof changeProvider> roles={['owner']}>
          <SelectField
            label={own.training}
            value={training}
            onChange={setTraining}
            options={[
              ['', own.unstated],
              ['no', own.no],
              ['yes', own.yes],
            ]}
          />
          <NumberField
            label={own.retention}
            hint={own.retentionHint}
            bounds={{ min: 0, max: MAX_RETENTION_DAYS }}
            value={days}
            onChange={setDays}
          />
          <TextField
            label={own.region}
            hint={own.regionHint}
            dir="ltr"
            value={region}
            onChange={setRegion}
            error={errorAt(change.error, 'data_policy.region')}
          />
          {change.error !== null && <p className="bad">{change.error.message}</p>}
          <div className="row">
            <button type="submit" className="btn" disabled={isFile || change.isPending}>
              {texts.save}
            </button>
            {provider.data_policy_source === 'operator' && !isFile && (
              <button
                type="button"
                className="btn plain"
                disabled={change.isPending}
                onClick={() => change.mutate({ params, body: { data_policy: null } })}
              >
                {own.asVendor}
              </button>
            )}
          </div>
        </ChangedBy>
      </Form>
    </section>
  );
}
