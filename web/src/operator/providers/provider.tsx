/** One provider: tried step by step, its keys by label and last four characters, its way out, its routes. */
import { useState } from 'react';
import { PROVIDER_FIELDS } from '../../../../server/src/core/fields/catalog.ts';
import type { testProvider } from '../../../../server/src/http/admin/routes/operations.ts';
import type {
  addCredential,
  changeProvider,
  listProviders,
  removeCredential,
} from '../../../../server/src/http/admin/routes/providers.ts';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, NumberField, SecretField, TextField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy, WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { ProviderTest } from './test-call.tsx';
import { useProviderTexts } from './texts.ts';

export type Provider = Result<typeof listProviders>['data'][number];
export const STALE = ['GET /api/admin/providers', 'GET /api/admin/routes/health', 'GET /api/admin/models'];

export function ProviderDrawer({ provider, onClose }: { provider: Provider; onClose(): void }) {
  const mayTest = useStaffMay<typeof testProvider>(['owner']);
  const keyName = useKeyName();
  return (
    <Drawer title={<Id value={provider.id} />} onClose={onClose}>
      {mayTest && (
        <section>
          <ProviderTest id={provider.id} keyName={(id) => keyName(provider.credentials.find((key) => key.id === id))} />
        </section>
      )}
      <Credentials provider={provider} />
      <WayOut key={JSON.stringify([provider.base_url, provider.egress, provider.max_concurrent])} provider={provider} />
    </Drawer>
  );
}

/** A key by its label, else by its last characters; of a short one not even those are told. */
function useKeyName(): (key: Provider['credentials'][number] | undefined) => string {
  const { unnamed } = useProviderTexts();
  return (key) => key?.label ?? (key?.last4 == null ? unnamed : `\u2066…${key.last4}\u2069`);
}

function Credentials({ provider }: { provider: Provider }) {
  const texts = useTexts();
  const own = useProviderTexts();
  const [secret, setSecret] = useState('');
  const [label, setLabel] = useState('');
  const [asking, setAsking] = useState<Provider['credentials'][number]>();
  const params = { id: provider.id };
  const add = useChange<typeof addCredential>('POST /api/admin/providers/:id/credentials', {
    stale: STALE,
    done() {
      setSecret('');
      setLabel('');
    },
  });
  const remove = useChange<typeof removeCredential>('DELETE /api/admin/providers/:id/credentials/:credential', {
    stale: STALE,
    done: () => setAsking(undefined),
  });
  const mayChange = useStaffMay<typeof addCredential>(['owner']);
  const keyName = useKeyName();
  const isLast = provider.credentials.length === 1;
  return (
    <section className="stack m">
      <h3>{texts.credentials}</h3>
      <p className="mid xs">{own.rotation}</p>
      {provider.credentials.map((credential) => (
        <div key={credential.id} className="row between">
          <span>
            {credential.label !== null && <bdi className="strong">{credential.label} </bdi>}
            {credential.last4 !== null ? (
              <Id value={`…${credential.last4}`} />
            ) : (
              credential.label === null && <span title={credential.id}>{own.unnamed}</span>
            )}{' '}
            <span className="xs dim">
              <Moment at={credential.created_at} />
            </span>
          </span>
          {mayChange && (
            <button type="button" className="btn small" onClick={() => setAsking(credential)}>
              {texts.remove}
            </button>
          )}
        </div>
      ))}
      {mayChange ? (
        <Form
          className="stack m"
          label={texts.addCredential}
          onSubmit={() =>
            add.mutate({ params, body: { secret, ...(label.trim() === '' ? {} : { label: label.trim() }) } })
          }
        >
          <SecretField label={texts.addCredential} hint={texts.secretHint} value={secret} onChange={setSecret} />
          <TextField label={own.label} hint={own.labelHint} value={label} onChange={setLabel} />
          <div className="row">
            <button type="submit" className="btn" disabled={secret === '' || add.isPending}>
              {texts.addCredential}
            </button>
          </div>
        </Form>
      ) : (
        <WhoMay<typeof addCredential> roles={['owner']} />
      )}
      {asking !== undefined && (
        <Confirm
          title={own.removeAsk(keyName(asking))}
          act={own.removeAct}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { ...params, credential: asking.id } })}
          onClose={() => setAsking(undefined)}
        >
          <p>{isLast ? own.removeLast : own.removeText}</p>
        </Confirm>
      )}
    </section>
  );
}

/** Address, proxies and how many at once. What start-up made is changed where it comes from. */
function WayOut({ provider }: { provider: Provider }) {
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
      <section className="stack s">
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
        className="stack m"
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
