/** Asks whoever is signed in to prove again who they are, when the server wants it, and lets the act that asked go on. */

import type { beginPasskeyProof, getProof, giveProof, sendProofCode } from '@dargah/api/console/proof.ts';
import { useEffect, useState } from 'react';
import { call, type Input, type Result, whenProofIsAsked } from '../api/call.ts';
import { useChange, useRead } from '../api/read.ts';
import { plainNumber } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Form, SelectField, TextField } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/page-frame.tsx';
import { Segments } from '../parts/segments.tsx';
import { useToast } from '../parts/toast.tsx';
import { useProofTexts } from './proof-texts.ts';

type Ways = Result<typeof getProof>;
type Way = Ways['ways'][number];
type Given = Input<typeof giveProof>['body'];

export function ProofAsker() {
  const [answer, setAnswer] = useState<(proved: boolean) => void>();
  useEffect(() => {
    whenProofIsAsked(() => new Promise((resolve) => setAnswer(() => resolve)));
    return () => whenProofIsAsked(undefined);
  }, []);
  if (answer === undefined) return null;
  const end = (proved: boolean) => {
    setAnswer(undefined);
    answer(proved);
  };
  return <ProofDialog onProved={() => end(true)} onClose={() => end(false)} />;
}

function ProofDialog({ onProved, onClose }: { onProved(): void; onClose(): void }) {
  const texts = useProofTexts();
  const { data: found, error } = useRead<typeof getProof>('GET /api/console/me/proof', {});
  const [chosen, setChosen] = useState<Way>();
  const way = chosen ?? found?.ways[0];
  const give = useChange<typeof giveProof>('POST /api/console/me/proof', { quiet: true, done: onProved });
  const props = { error: give.error?.message, busy: give.isPending, onGiven: (body: Given) => give.mutate({ body }) };
  const choose = (next: Way) => {
    give.reset();
    setChosen(next);
  };
  // Shown with its field, which then has the focus.
  if (found === undefined && error === null) return null;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div className="stack gap-m">
        <p className="text">{texts.lead}</p>
        {error !== null && <Note tone="warn">{error.message}</Note>}
        {found !== undefined && way === undefined && <Note tone="warn">{texts.none}</Note>}
        {found !== undefined && way !== undefined && found.ways.length > 1 && (
          <Segments
            label={texts.choose}
            value={way}
            options={found.ways.map((one) => [one, texts.ways[one]] as const)}
            onChange={choose}
          />
        )}
        {way === 'password' && <ByPassword {...props} />}
        {way === 'second-factor' && <ByApp {...props} />}
        {way === 'code' && found !== undefined && <BySentCode {...props} contacts={found.contacts} />}
        {way === 'passkey' && <ByPasskey {...props} />}
      </div>
    </Dialog>
  );
}

interface WayProps {
  error: string | undefined;
  busy: boolean;
  onGiven(proof: Given): void;
}

function ByPassword({ error, busy, onGiven }: WayProps) {
  const texts = useProofTexts();
  const [password, setPassword] = useState('');
  return (
    <Form onSubmit={() => onGiven({ way: 'password', password })}>
      <TextField
        label={texts.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        dir="ltr"
        error={error}
      />
      <Confirm disabled={busy || password === ''} />
    </Form>
  );
}

function ByApp({ error, busy, onGiven }: WayProps) {
  const texts = useProofTexts();
  const [code, setCode] = useState('');
  return (
    <Form onSubmit={() => onGiven({ way: 'second-factor', code: code.trim() })}>
      <CodeField label={texts.appCode} value={code} onChange={setCode} error={error} />
      <Confirm disabled={busy || code.trim().length < 6} />
    </Form>
  );
}

function BySentCode({ error, busy, onGiven, contacts }: WayProps & { contacts: Ways['contacts'] }) {
  const texts = useProofTexts();
  const [contact, setContact] = useState(contacts[0]?.id ?? '');
  const [code, setCode] = useState('');
  const send = useChange<typeof sendProofCode>('POST /api/console/me/proof/codes', { quiet: true });
  const order = () => send.mutate({ body: { contact_id: contact } });
  const submit = () =>
    send.isSuccess ? onGiven({ way: 'code', contact_id: contact, code: plainNumber(code) }) : order();
  return (
    <Form onSubmit={submit}>
      <SelectField
        label={texts.contact}
        dir="ltr"
        value={contact}
        onChange={(next) => {
          send.reset();
          setContact(next);
        }}
        options={contacts.map(({ id, value }) => [id, value] as const)}
        error={send.error?.message}
      />
      {send.isSuccess && <CodeField label={texts.code} value={code} onChange={setCode} error={error} />}
      {send.isSuccess ? (
        <Confirm disabled={busy || plainNumber(code).length < 6} />
      ) : (
        <button type="submit" className="btn main" disabled={send.isPending || contact === ''}>
          {texts.send}
        </button>
      )}
    </Form>
  );
}

function ByPasskey({ error, busy, onGiven }: WayProps) {
  const texts = useProofTexts();
  const toast = useToast();
  const ask = async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser');
    try {
      const { ticket, options } = await call<typeof beginPasskeyProof>('POST /api/console/me/proof/passkey', {});
      onGiven({ way: 'passkey', ticket, response: await startAuthentication({ optionsJSON: options as never }) });
    } catch {
      toast({ tone: 'bad', text: texts.passkeyStopped });
    }
  };
  return (
    <div className="stack gap-m">
      <p className="mid">{texts.passkeyText}</p>
      {error !== undefined && <Note tone="warn">{error}</Note>}
      <button type="button" className="btn main" data-first disabled={busy} onClick={() => void ask()}>
        <Icon name="lock" />
        {texts.ways.passkey}
      </button>
    </div>
  );
}

function CodeField(props: { label: string; value: string; onChange(next: string): void; error: string | undefined }) {
  return <TextField {...props} dir="ltr" inputMode="numeric" autoComplete="one-time-code" />;
}

function Confirm({ disabled }: { disabled: boolean }) {
  const texts = useProofTexts();
  return (
    <button type="submit" className="btn main" disabled={disabled}>
      {texts.confirm}
    </button>
  );
}
