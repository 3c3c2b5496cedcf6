/** Making a key, and its text: shown once, with ready code, and the first request arriving while one watches. */

import type { createKey } from '@dargah/api/console/keys.ts';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { type LiveRequest, useLive } from '../../api/live.tsx';
import { errorAt, useChange } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Code, CopyButton } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { NumberField, SelectField, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Live } from '../../parts/pill.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useStateOf } from '../../texts/request-texts.ts';
import { useShared } from '../../texts/shared.ts';
import { clientSamples } from '../samples.ts';
import { useTexts } from './texts.ts';

export function NewKey({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const shared = useShared();
  const format = useFormat();
  const [name, setName] = useState('');
  const [daily, setDaily] = useState<string | null>(null);
  const [days, setDays] = useState('');
  const create = useChange<typeof createKey>('POST /api/console/keys', { stale: ['GET /api/console/keys'] });
  if (create.data !== undefined) return <Secret text={create.data.key} keyId={create.data.id} onClose={onClose} />;
  const submit = () =>
    create.mutate({
      body: {
        name: name.trim(),
        rules: {
          ...(daily === null ? {} : { caps: { daily } }),
          ...(days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
        },
      },
    });
  return (
    <Dialog
      title={texts.make.title}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button type="submit" form="new-key" className="btn main" disabled={name.trim() === '' || create.isPending}>
            {texts.make.submit}
          </button>
        </>
      }
    >
      <form
        id="new-key"
        className="stack gap-m"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') submit();
        }}
      >
        <TextField
          label={texts.make.name}
          hint={texts.make.nameHint}
          error={errorAt(create.error, 'name')}
          value={name}
          onChange={setName}
          dir="auto"
          name="key-name"
        />
        <NumberField
          label={texts.make.daily}
          hint={texts.make.dailyHint}
          error={errorAt(create.error, 'rules')}
          value={daily}
          onChange={setDaily}
          unit={shared.toman}
          placeholder={shared.unlimited}
        />
        <SelectField
          label={texts.make.expires}
          value={days}
          onChange={setDays}
          options={[
            ['', texts.make.never],
            ...['7', '30', '90', '365'].map((n) => [n, texts.make.days(format.number(n))] as const),
          ]}
        />
      </form>
    </Dialog>
  );
}

export function Secret({ text, keyId, onClose }: { text: string; keyId: string; onClose(): void }) {
  const texts = useTexts();
  const samples = clientSamples('sandbox/hello', text);
  const [shown, setShown] = useState('curl');
  return (
    <Dialog
      title={texts.secret.title}
      closable={false}
      onClose={onClose}
      wide
      footer={
        <>
          <span className="grow">
            <FirstCall keyId={keyId} onClose={onClose} />
          </span>
          <button type="button" className="btn main" onClick={onClose}>
            {texts.secret.done}
          </button>
        </>
      }
    >
      <p>{texts.secret.once}</p>
      <div className="secret">
        <span data-secret>{text}</span>
        <CopyButton text={text} label={texts.secret.copy} />
      </div>
      <p>{texts.secret.tryIt}</p>
      <Segments
        label={texts.secret.tryIt}
        value={shown}
        onChange={setShown}
        options={samples.map(({ id, name }) => [id, name] as const)}
      />
      <Code text={samples.find(({ id }) => id === shown)?.code ?? ''} />
    </Dialog>
  );
}

function FirstCall({ keyId, onClose }: { keyId: string; onClose(): void }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const stateOf = useStateOf();
  const { listen, connected } = useLive();
  const [first, setFirst] = useState<LiveRequest>();
  useEffect(
    () =>
      listen((request) => {
        if (request.key_id === keyId) setFirst((before) => before ?? request);
      }),
    [listen, keyId],
  );
  if (first === undefined) return connected ? <Live>{texts.secret.waiting}</Live> : null;
  return (
    <span className="row">
      <Icon name={first.state === 'completed' ? 'check' : 'warn'} />
      {first.state === 'completed' ? (
        <span className="good">{texts.secret.arrived}</span>
      ) : (
        <span className="bad">
          {texts.secret.refused} {stateOf(first).word}
        </span>
      )}
      <button
        type="button"
        className="link"
        onClick={() => {
          onClose();
          navigate(`/console/requests/${first.id}`);
        }}
      >
        {texts.secret.see}
      </button>
    </span>
  );
}
