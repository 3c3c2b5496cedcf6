/** How a provider is reached. */
import type { changeProvider } from '@dargah/api/admin/providers.ts';
import { PROVIDER_FIELDS } from '@dargah/core/fields/catalog.ts';
import { useState } from 'react';
import { errorAt, useChange } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { Form, NumberField, TextField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useTexts } from '../texts.ts';
import { type Provider, STALE } from './own-provider.ts';
import { useProviderTexts } from './texts.ts';

/** Address, proxies and how many at once. What start-up made is changed where it comes from. */
export function WayOut({ provider }: { provider: Provider }) {
  const texts = useTexts();
  const own = useProviderTexts();
  const declared = useDeclared();
  const shared = useShared();
  const toast = useToast();
  const [url, setUrl] = useState(provider.base_url);
  const shownWays = (provider.egress ?? []).join(' ');
  const [ways, setWays] = useState(shownWays);
  const [most, setMost] = useState<string | null>(
    provider.max_concurrent === null ? null : String(provider.max_concurrent),
  );
  const change = useChange<typeof changeProvider>('PATCH /api/admin/providers/:id', {
    stale: STALE,
    quiet: true,
    done: () => toast({ text: shared.saved }),
  });
  if (provider.managed_by !== 'operator')
    return (
      <section className="stack gap-s">
        <h3>{own.wayOut}</h3>
        <dl className="facts">
          <dt>{texts.baseUrl}</dt>
          <dd>
            <Id value={provider.base_url} />
          </dd>
          <dt>{own.ways}</dt>
          <dd>{provider.egress === null ? own.asEnvironment : <Id value={shownWays} />}</dd>
        </dl>
        <p className="xs dim">{own.notYours}</p>
      </section>
    );
  const egress = ways.split(/[\s,،]+/).filter(Boolean);
  return (
    <section>
      <h3>{own.wayOut}</h3>
      <Form
        className="stack gap-m"
        label={own.wayOut}
        onSubmit={() =>
          change.mutate({
            params: { id: provider.id },
            body: {
              ...(url.trim() === provider.base_url ? {} : { base_url: url.trim() }),
              // Passwords are not shown: ways that were not touched are not sent back without them.
              ...(ways === shownWays ? {} : { egress: egress.length === 0 ? null : egress }),
              max_concurrent: most === null ? null : Math.round(Number(most)),
            },
          })
        }
      >
        <ChangedBy<typeof changeProvider> roles={['owner']}>
          <TextField
            label={texts.baseUrl}
            value={url}
            onChange={setUrl}
            dir="ltr"
            error={errorAt(change.error, 'base_url')}
          />
          <TextField
            label={own.ways}
            hint={own.waysHint}
            value={ways}
            onChange={setWays}
            dir="ltr"
            placeholder="socks5h://host:1080 direct"
            error={errorAt(change.error, 'egress')}
          />
          <NumberField
            {...declared(PROVIDER_FIELDS.max_concurrent)}
            hint={own.mostHint}
            placeholder={shared.unlimited}
            bounds={PROVIDER_FIELDS.max_concurrent}
            value={most}
            onChange={setMost}
          />
          {change.error !== null && <p className="bad">{change.error.message}</p>}
          <div className="row">
            <button type="submit" className="btn" disabled={change.isPending}>
              {texts.save}
            </button>
          </div>
        </ChangedBy>
      </Form>
    </section>
  );
}
