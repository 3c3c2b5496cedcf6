/** The keys of a provider: added, named, removed, never read back. */
import type { addCredential, removeCredential } from '@dargah/api/admin/providers.ts';
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, SecretField, TextField } from '../../parts/form.tsx';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { type Provider, STALE } from './own-provider.ts';
import { useProviderTexts } from './texts.ts';

/** A key by its label, else by its last characters; a short key shows none of them. */
export function useKeyName(): (key: Provider['credentials'][number] | undefined) => string {
  const { unnamed } = useProviderTexts();
  return (key) => key?.label ?? (key?.last4 == null ? unnamed : `\u2066…${key.last4}\u2069`);
}

export function Credentials({ provider }: { provider: Provider }) {
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
    <section className="stack gap-m">
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
          className="stack gap-m"
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
