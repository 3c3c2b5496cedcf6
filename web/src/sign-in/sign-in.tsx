/** Signing in and up: number or e-mail and a code; a password or a passkey for those who have one; then the second factor. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { staffSignIn } from '../../../server/src/http/admin/routes/people.ts';
import type {
  beginPasskeySignIn,
  getSignInOptions,
  giveSecondFactor,
  readInvitation,
  sendSignInCode,
  signInWithCode,
  signInWithPasskey,
  signInWithPassword,
} from '../../../server/src/http/console/routes/sign-in.ts';
import { call, type Result } from '../api/call.ts';
import { errorAt, useChange, useRead } from '../api/read.ts';
import { BrandMark, useBrandName } from '../brand.tsx';
import { plainNumber, useFormat } from '../format.ts';
import { Field, Form, TextField } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/small.tsx';
import { useToast } from '../parts/toast.tsx';
import { LanguageButton, ThemeMenu } from '../shell/shell.tsx';
import { useShellWords } from '../shell/words.ts';
import { useLanguage } from '../words/dictionary.tsx';
import { useSignInWords } from './words.ts';

type SignedIn = Result<typeof signInWithCode>;
type Sent = Result<typeof sendSignInCode> & { at: number };

export function SignIn({ area }: { area: 'customer' | 'operator' }) {
  const words = useSignInWords();
  const brand = useBrandName();
  const client = useQueryClient();
  const options = useRead<typeof getSignInOptions>('GET /api/console/sign-in', {}).data;
  const [way, setWay] = useState<'code' | 'password'>(area === 'operator' ? 'password' : 'code');
  const [ticket, setTicket] = useState<string>();
  const finish = (answer: SignedIn) => {
    if (answer.second_factor !== null) setTicket(answer.second_factor.ticket);
    else void client.resetQueries();
  };
  const lead =
    area === 'operator'
      ? words.leadOperator
      : options?.registration === 'closed'
        ? words.leadClosed
        : options?.registration === 'invitation'
          ? words.leadInvitation
          : words.lead;
  return (
    <div className="gate-page">
      <header className="bar">
        <a className="brand shown" href="/">
          <BrandMark />
          {brand}
        </a>
        <div className="end">
          <ThemeMenu />
          <LanguageButton />
        </div>
      </header>
      <main id="main">
        <div className="panel gate-card">
          <div className="stack s">
            <h1>{area === 'operator' ? words.titleOperator : words.title}</h1>
            {ticket === undefined && <p className="mid text">{lead}</p>}
          </div>
          <InvitationLine />
          {ticket !== undefined ? (
            <SecondFactor ticket={ticket} onDone={finish} />
          ) : way === 'code' ? (
            <ByCode onDone={finish} sandbox={options?.sandbox === true} />
          ) : (
            <ByPassword onDone={finish} area={area} />
          )}
          {ticket === undefined && (
            <div className="row between">
              <button type="button" className="link" onClick={() => setWay(way === 'code' ? 'password' : 'code')}>
                {way === 'code' ? words.withPassword : words.withCode}
              </button>
              {options?.passkey === true && <ByPasskey onDone={finish} />}
            </div>
          )}
        </div>
      </main>
    </div>
  );
}

/** The secret of an invitation stands after `#`, which no server and no log ever sees. */
function invitationSecret(): string | undefined {
  return /^#invitation=([\w-]{8,128})$/.exec(location.hash)?.[1];
}

function InvitationLine() {
  const words = useSignInWords();
  const shell = useShellWords();
  const secret = invitationSecret();
  const read = useChange<typeof readInvitation>('POST /api/console/sign-in/invitation');
  const { mutate } = read;
  useEffect(() => {
    if (secret !== undefined) mutate({ body: { invitation: secret } });
  }, [secret, mutate]);
  if (read.data === undefined) return null;
  return (
    <Note tone="info">{words.invitedTo(read.data.account_name, shell.roles[read.data.role] ?? read.data.role)}</Note>
  );
}

function ByCode({ onDone, sandbox }: { onDone(answer: SignedIn): void; sandbox: boolean }) {
  const words = useSignInWords();
  const [to, setTo] = useState('');
  const [sent, setSent] = useState<Sent>();
  const invitation = invitationSecret();
  const send = useChange<typeof sendSignInCode>('POST /api/console/sign-in/codes', {
    quiet: true,
    done: (answer) => setSent({ ...answer, at: Date.now() }),
  });
  const order = () => send.mutate({ body: { to: to.trim(), ...(invitation === undefined ? {} : { invitation }) } });
  if (sent !== undefined) {
    return (
      <CodeStep
        to={to.trim()}
        sent={sent}
        onAgain={order}
        onChange={() => setSent(undefined)}
        onDone={onDone}
        sandbox={sandbox}
      />
    );
  }
  return (
    <Form onSubmit={order}>
      <TextField
        label={words.contact}
        hint={words.contactHint}
        error={send.error?.message}
        value={to}
        onChange={setTo}
        dir="ltr"
        name="contact"
        autoComplete="username"
        inputMode="email"
      />
      <button type="submit" className="btn main" disabled={send.isPending || to.trim() === ''}>
        {words.send}
      </button>
    </Form>
  );
}

function CodeStep({
  to,
  sent,
  sandbox,
  onAgain,
  onChange,
  onDone,
}: {
  to: string;
  sent: Sent;
  sandbox: boolean;
  onAgain(): void;
  onChange(): void;
  onDone(answer: SignedIn): void;
}) {
  const words = useSignInWords();
  const language = useLanguage();
  const format = useFormat();
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const elapsed = useSeconds(sent.at);
  const left = sent.expires_in_s - elapsed;
  const wait = sent.resend_after_s - elapsed;
  const invitation = invitationSecret();
  const signIn = useChange<typeof signInWithCode>('POST /api/console/sign-in/code', { quiet: true, done: onDone });
  const submit = () =>
    signIn.mutate({
      body: {
        to,
        code: plainNumber(code),
        language,
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        ...(invitation === undefined ? {} : { invitation }),
      },
    });
  return (
    <Form onSubmit={submit}>
      <p className="mid">{words.sentTo(`\u2066${sent.to}\u2069`)}</p>
      <Field
        label={words.code}
        hint={left > 0 ? words.codeLife(format.number(left)) : words.codeOver}
        error={errorAt(signIn.error, 'code') ?? signIn.error?.message}
      >
        {(ids) => (
          <input
            {...ids}
            className="input code-input"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            // biome-ignore lint/a11y/noAutofocus: the code is the only thing to write here.
            autoFocus
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        name="name"
        autoComplete="name"
        dir="auto"
      />
      {sandbox && <p className="hint dim xs">{words.sandbox}</p>}
      <button type="submit" className="btn main" disabled={signIn.isPending || plainNumber(code).length < 6}>
        {words.signIn}
      </button>
      <div className="row between">
        <button type="button" className="link" onClick={onChange}>
          {words.change}
        </button>
        {wait > 0 ? (
          <span className="dim xs">{words.resendAfter(format.number(wait))}</span>
        ) : (
          <button type="button" className="link" onClick={onAgain}>
            {words.resend}
          </button>
        )}
      </div>
    </Form>
  );
}

function ByPassword({ onDone, area }: { onDone(answer: SignedIn): void; area: 'customer' | 'operator' }) {
  const words = useSignInWords();
  const [to, setTo] = useState('');
  const [password, setPassword] = useState('');
  const customer = useChange<typeof signInWithPassword>('POST /api/console/sign-in/password', {
    quiet: true,
    done: onDone,
  });
  const operator = useChange<typeof staffSignIn>('POST /api/admin/sign-in', { quiet: true, done: onDone });
  const signIn = area === 'operator' ? operator : customer;
  const submit = () =>
    area === 'operator'
      ? operator.mutate({ body: { password, ...(to.trim() === '' ? {} : { to: to.trim() }) } })
      : customer.mutate({ body: { to: to.trim(), password } });
  return (
    <Form onSubmit={submit}>
      <TextField
        label={words.user}
        hint={area === 'operator' ? words.userHint : undefined}
        value={to}
        onChange={setTo}
        dir="ltr"
        name="username"
        autoComplete="username"
      />
      <TextField
        label={words.password}
        type="password"
        value={password}
        onChange={setPassword}
        dir="ltr"
        name="password"
        autoComplete="current-password"
        error={signIn.error?.message}
        hint={words.forgot}
      />
      <button
        type="submit"
        className="btn main"
        disabled={signIn.isPending || (area === 'customer' && to.trim() === '') || password === ''}
      >
        {words.signIn}
      </button>
    </Form>
  );
}

function ByPasskey({ onDone }: { onDone(answer: SignedIn): void }) {
  const words = useSignInWords();
  const toast = useToast();
  const begin = async () => {
    const { startAuthentication } = await import('@simplewebauthn/browser');
    try {
      const { ticket, options } = await call<typeof beginPasskeySignIn>(
        'POST /api/console/sign-in/passkey/options',
        {},
      );
      const response = await startAuthentication({ optionsJSON: options as never });
      onDone(await call<typeof signInWithPasskey>('POST /api/console/sign-in/passkey', { body: { ticket, response } }));
    } catch {
      toast({ tone: 'bad', text: words.passkeyStopped });
    }
  };
  return (
    <button type="button" className="btn small" onClick={() => void begin()}>
      <Icon name="lock" />
      {words.withPasskey}
    </button>
  );
}

function SecondFactor({ ticket, onDone }: { ticket: string; onDone(answer: SignedIn): void }) {
  const words = useSignInWords();
  const [code, setCode] = useState('');
  const give = useChange<typeof giveSecondFactor>('POST /api/console/sign-in/second-factor', {
    quiet: true,
    done: onDone,
  });
  return (
    <Form onSubmit={() => give.mutate({ body: { ticket, code: code.trim() } })}>
      <p className="mid">{words.secondFactorLead}</p>
      <TextField
        label={words.secondFactor}
        value={code}
        onChange={setCode}
        dir="ltr"
        autoComplete="one-time-code"
        error={give.error?.message}
      />
      <button type="submit" className="btn main" disabled={give.isPending || code.trim().length < 6}>
        {words.signIn}
      </button>
    </Form>
  );
}

/** Whole seconds since a moment, counted on the screen. */
function useSeconds(since: number): number {
  const [now, setNow] = useState(() => Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new code starts the count again.
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [since]);
  return Math.max(0, Math.floor((now - since) / 1_000));
}
