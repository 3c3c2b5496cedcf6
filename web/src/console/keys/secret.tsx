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
import { useStateOf } from '../../words/request-words.ts';
import { useShared } from '../../words/shared.ts';
import { clientSamples } from '../samples.ts';
import { useWords } from './words.ts';

export function NewKey({ onClose }: { onClose(): void }) {
  const words = useWords();
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
      title={words.make.title}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button type="submit" form="new-key" className="btn main" disabled={name.trim() === '' || create.isPending}>
            {words.make.submit}
          </button>
        </>
      }
    >
      <form
        id="new-key"
        className="stack m"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') submit();
        }}
      >
        <TextField
          label={words.make.name}
          hint={words.make.nameHint}
          error={errorAt(create.error, 'name')}
          value={name}
          onChange={setName}
          dir="auto"
          name="key-name"
        />
        <NumberField
          label={words.make.daily}
          hint={words.make.dailyHint}
          error={errorAt(create.error, 'rules')}
          value={daily}
          onChange={setDaily}
          unit={shared.toman}
          placeholder={shared.unlimited}
        />
        <SelectField
          label={words.make.expires}
          value={days}
          onChange={setDays}
          options={[
            ['', words.make.never],
            ...['7', '30', '90', '365'].map((n) => [n, words.make.days(format.number(n))] as const),
          ]}
        />
      </form>
    </Dialog>
  );
}

export function Secret({ text, keyId, onClose }: { text: string; keyId: string; onClose(): void }) {
  const words = useWords();
  const samples = clientSamples('sandbox/hello', text);
  const [shown, setShown] = useState('curl');
  return (
    <Dialog
      title={words.secret.title}
      closable={false}
      onClose={onClose}
      wide
      footer={
        <>
          <span className="grow">
            <FirstCall keyId={keyId} onClose={onClose} />
          </span>
          <button type="button" className="btn main" onClick={onClose}>
            {words.secret.done}
          </button>
        </>
      }
    >
      <p>{words.secret.once}</p>
      <div className="secret">
        <span data-secret>{text}</span>
        <CopyButton text={text} label={words.secret.copy} />
      </div>
      <p>{words.secret.tryIt}</p>
      <Segments
        label={words.secret.tryIt}
        value={shown}
        onChange={setShown}
        options={samples.map(({ id, name }) => [id, name] as const)}
      />
      <Code text={samples.find(({ id }) => id === shown)?.code ?? ''} />
    </Dialog>
  );
}

function FirstCall({ keyId, onClose }: { keyId: string; onClose(): void }) {
  const words = useWords();
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
  if (first === undefined) return connected ? <Live>{words.secret.waiting}</Live> : null;
  return (
    <span className="row">
      <Icon name={first.state === 'completed' ? 'check' : 'warn'} />
      {first.state === 'completed' ? (
        <span className="good">{words.secret.arrived}</span>
      ) : (
        <span className="bad">
          {words.secret.refused} {stateOf(first).word}
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
        {words.secret.see}
      </button>
    </span>
  );
}
