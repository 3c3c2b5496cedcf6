/** The legal identity on the account's invoices. */

import type { getLegalIdentity, setLegalIdentity } from '@dargah/api/console/payments.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { plainNumber } from '../../format.ts';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { useTexts } from '../../texts/wallet-texts.ts';

type Party = NonNullable<Result<typeof getLegalIdentity>['identity']>;
const FIELDS = ['national_id', 'economic_code', 'registration_number', 'postal_code', 'phone', 'address'] as const;

export function Identity() {
  const texts = useTexts();
  const read = useRead<typeof getLegalIdentity>('GET /api/console/wallet/legal-identity', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  if (read.data === undefined) return <Skeleton shape="form" />;
  return (
    <section className="panel pad stack gap-m" aria-label={texts.tabs['identity']}>
      <p className="mid text">{texts.identity.lead}</p>
      <IdentityForm known={read.data.identity} />
    </section>
  );
}

function IdentityForm({ known }: { known: Party | null }) {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const [kind, setKind] = useState(known?.kind ?? 'person');
  const [name, setName] = useState(known?.name ?? '');
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(FIELDS.map((field) => [field, known?.[field] ?? ''])),
  );
  const save = useChange<typeof setLegalIdentity>('PUT /api/console/wallet/legal-identity', {
    quiet: true,
    stale: ['GET /api/console/wallet/legal-identity'],
    done: () => toast({ text: shared.saved }),
  });
  const text = (field: (typeof FIELDS)[number], label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      error={errorAt(save.error, field)}
      value={values[field] ?? ''}
      onChange={(next) => setValues((before) => ({ ...before, [field]: next }))}
      dir={field === 'address' ? 'auto' : 'ltr'}
    />
  );
  const given = (field: (typeof FIELDS)[number]) => {
    const written = (values[field] ?? '').trim();
    if (written === '') return null;
    return field === 'address' ? written : plainNumber(written);
  };
  return (
    <Form
      onSubmit={() =>
        save.mutate({
          body: { kind, name: name.trim(), ...Object.fromEntries(FIELDS.map((field) => [field, given(field)])) },
        })
      }
    >
      <div className="columns">
        <SelectField
          label={texts.identity.kind}
          value={kind}
          onChange={(next) => setKind(next as 'person' | 'company')}
          options={[
            ['person', texts.identity.person],
            ['company', texts.identity.company],
          ]}
        />
        <TextField
          label={texts.identity.name}
          error={errorAt(save.error, 'name')}
          value={name}
          onChange={setName}
          dir="auto"
        />
        {text('national_id', texts.identity.nationalId, texts.identity.nationalIdHint)}
        {text('economic_code', texts.identity.economicCode)}
        {kind === 'company' && text('registration_number', texts.identity.registration)}
        {text('postal_code', texts.identity.postal)}
        {text('phone', texts.identity.phone)}
        <div className="whole-line">{text('address', texts.identity.address)}</div>
      </div>
      <div className="row">
        <button type="submit" className="btn main" disabled={save.isPending || name.trim() === ''}>
          {shared.save}
        </button>
        {save.error !== null && <span className="bad">{save.error.message}</span>}
      </div>
    </Form>
  );
}
