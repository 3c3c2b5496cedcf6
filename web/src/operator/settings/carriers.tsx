/** Carriers of messages, entered here or set in the environment, which takes precedence. */

import type { changeMessenger, getMessenger } from '@dargah/api/admin/messenger-settings.ts';
import type { Field } from '@dargah/core/fields/field.ts';
import { CARRIERS } from '@dargah/core/fields/outside-services.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { useDeclared } from '../../parts/declared.ts';
import { Form, SecretField, TextField, Toggle } from '../../parts/form.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useTexts } from '../texts.ts';
import { useServiceTexts } from './service-texts.ts';

type Carrier = Result<typeof getMessenger>['settings'][number];

export function Carriers({ carriers }: { carriers: readonly Carrier[] }) {
  return (
    <ChangedBy<typeof changeMessenger> roles={['owner']}>
      {carriers.map((carrier) =>
        carrier.source === 'environment' ? (
          <FromEnvironment key={carrier.id} carrier={carrier} />
        ) : (
          <CarrierForm key={`${carrier.id} ${JSON.stringify(carrier)}`} carrier={carrier} />
        ),
      )}
    </ChangedBy>
  );
}

function FromEnvironment({ carrier }: { carrier: Carrier }) {
  const texts = useServiceTexts();
  const { language } = useFormat();
  return (
    <div className="pad under row between">
      <div>
        <h3>{CARRIERS[carrier.id].name[language]}</h3>
        <p className="xs dim">{texts.setOutside}</p>
      </div>
      <Pill tone="info">{texts.fromEnvironment}</Pill>
    </div>
  );
}

function CarrierForm({ carrier }: { carrier: Carrier }) {
  const texts = useServiceTexts();
  const general = useTexts();
  const shared = useShared();
  const declared = useDeclared();
  const toast = useToast();
  const { language } = useFormat();
  const [options, setOptions] = useState<Record<string, string>>(carrier.options);
  const [secrets, setSecrets] = useState<Record<string, string>>({});
  const change = useChange<typeof changeMessenger>('PATCH /api/admin/messenger/:id', {
    stale: ['GET /api/admin/messenger', 'GET /api/admin/setup'],
    quiet: true,
    done: () => toast({ text: shared.saved }),
  });
  const kind = CARRIERS[carrier.id];
  const params = { id: carrier.id };
  const changed = Object.keys(kind.options).filter((name) => (options[name] ?? '') !== (carrier.options[name] ?? ''));
  const given = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ''));
  const save = () =>
    change.mutate({
      params,
      body: {
        ...(Object.keys(given).length > 0 && { secrets: given }),
        ...(changed.length > 0 && {
          options: Object.fromEntries(changed.map((name) => [name, options[name] || null])),
        }),
      },
    });
  return (
    <Form className="pad under stack gap-m" label={kind.name[language]} onSubmit={save}>
      <div className="row between">
        <Toggle checked={carrier.enabled} onChange={(enabled) => change.mutate({ params, body: { enabled } })}>
          <strong>{kind.name[language]}</strong>
        </Toggle>
        {carrier.enabled && (
          <Pill tone={carrier.ready ? 'ok' : 'warn'}>{carrier.ready ? texts.ready : texts.notReady}</Pill>
        )}
      </div>
      <div className="columns">
        {Object.entries<Field>(kind.secrets).map(([name, field]) => (
          <SecretField
            key={name}
            name={`${carrier.id}_${name}`}
            {...declared(field)}
            placeholder={carrier.secrets.some((one) => one.name === name && one.set) ? '••••••••' : ''}
            error={errorAt(change.error, `secrets.${name}`)}
            value={secrets[name] ?? ''}
            onChange={(next) => setSecrets((before) => ({ ...before, [name]: next }))}
          />
        ))}
        {Object.entries<Field>(kind.options).map(([name, field]) => (
          <TextField
            key={name}
            name={`${carrier.id}_${name}`}
            dir="ltr"
            {...declared(field)}
            error={errorAt(change.error, `options.${name}`)}
            value={options[name] ?? ''}
            onChange={(next) => setOptions((before) => ({ ...before, [name]: next }))}
          />
        ))}
      </div>
      <div className="row">
        <button
          type="submit"
          className="btn"
          disabled={change.isPending || (changed.length === 0 && Object.keys(given).length === 0)}
        >
          {general.save}
        </button>
      </div>
    </Form>
  );
}
