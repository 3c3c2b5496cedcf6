/** Signing in and up: number or e-mail and a code; a password or a passkey for those who have one; then the second factor. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { staffSignIn } from '../../../server/src/http/admin/routes/people.ts';
import type {
  beginPasskeySignIn,
  getSignInOptions,
  readInvitation,
  signInWithCode,
  signInWithPasskey,
  signInWithPassword,
} from '../../../server/src/http/console/routes/sign-in.ts';
import { call, type Result } from '../api/call.ts';
import { useChange, useRead } from '../api/read.ts';
import { BrandMark, useBrandName } from '../brand.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/small.tsx';
import { useToast } from '../parts/toast.tsx';
import { LanguageButton, ThemeMenu } from '../shell/shell.tsx';
import { useShellWords } from '../shell/words.ts';
import { ByCode, invitationSecret } from './by-code.tsx';
import { SecondFactorStep } from './second-factor.tsx';
import { useSignInWords } from './words.ts';

export type SignedIn = Result<typeof signInWithCode>;

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
            <SecondFactorStep ticket={ticket} onDone={finish} />
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
