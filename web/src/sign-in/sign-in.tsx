/** Signing in and up: number or e-mail and a code; a password or a passkey for those who have one; then the second factor. */

import type { staffSignIn } from '@dargah/api/admin/people.ts';
import type {
  beginPasskeySignIn,
  getSignInOptions,
  readInvitation,
  signInWithPasskey,
  signInWithPassword,
} from '@dargah/api/console/sign-in.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { useChange, useRead } from '../api/read.ts';
import { tellTabs } from '../api/tabs.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/page-frame.tsx';
import { useToast } from '../parts/toast.tsx';
import { useShellTexts } from '../shell/texts.ts';
import { ByCode, invitationSecret } from './by-code.tsx';
import { SecondFactorStep } from './second-factor.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import type { SignedIn } from './signed-in.ts';
import { useSignInTexts } from './texts.ts';

type Area = 'customer' | 'operator';

const useOptions = () => useRead<typeof getSignInOptions>('GET /api/console/sign-in', {}).data;

export function SignIn({ area }: { area: Area }) {
  const texts = useSignInTexts();
  const client = useQueryClient();
  const registration = useOptions()?.registration;
  const lead =
    area === 'operator'
      ? texts.leadOperator
      : registration === 'closed'
        ? texts.leadClosed
        : registration === 'invitation'
          ? texts.leadInvitation
          : texts.lead;
  return (
    <SignInFrame title={area === 'operator' ? texts.titleOperator : texts.title}>
      <WaysIn area={area} onIn={() => void client.resetQueries()}>
        <p className="mid text">{lead}</p>
        <InvitationLine />
      </WaysIn>
    </SignInFrame>
  );
}

/** Shown over a page whose session ended: the page stays as it was left, but cannot be read. */
export function SignInAgain({ area, onIn }: { area: Area; onIn(): void }) {
  const texts = useSignInTexts();
  return (
    <Dialog
      title={texts.over}
      onClose={() => undefined}
      closable={false}
      veiled
      footer={
        <button type="button" className="btn" onClick={() => location.reload()}>
          {texts.leave}
        </button>
      }
    >
      <div className="stack gap-m">
        <WaysIn area={area} onIn={onIn} isBack>
          <p className="text">{texts.overText}</p>
        </WaysIn>
      </div>
    </Dialog>
  );
}

/** `children` introduce the first step. */
function WaysIn({
  area,
  onIn,
  isBack = false,
  children,
}: {
  area: Area;
  onIn(): void;
  /** A returning person: nothing is asked that only newcomers are. */
  isBack?: boolean;
  children: ReactNode;
}) {
  const texts = useSignInTexts();
  const options = useOptions();
  const [way, setWay] = useState<'code' | 'password'>(area === 'operator' ? 'password' : 'code');
  const [ticket, setTicket] = useState<string>();
  const finish = (answer: SignedIn) => {
    if (answer.second_factor !== null) return setTicket(answer.second_factor.ticket);
    // A used invitation would be offered again to whoever opens this address next.
    if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
    tellTabs('signed-in');
    onIn();
  };
  if (ticket !== undefined) return <SecondFactorStep ticket={ticket} onDone={finish} />;
  return (
    <>
      {children}
      {way === 'code' ? (
        <ByCode onDone={finish} sandbox={options?.sandbox === true} isBack={isBack} />
      ) : (
        <ByPassword onDone={finish} area={area} />
      )}
      <div className="row between">
        <button type="button" className="link" onClick={() => setWay(way === 'code' ? 'password' : 'code')}>
          {way === 'code' ? texts.withPassword : texts.withCode}
        </button>
        {options?.passkey === true && <ByPasskey onDone={finish} />}
      </div>
    </>
  );
}

function InvitationLine() {
  const texts = useSignInTexts();
  const shell = useShellTexts();
  const secret = invitationSecret();
  const read = useChange<typeof readInvitation>('POST /api/console/sign-in/invitation');
  const { mutate } = read;
  useEffect(() => {
    if (secret !== undefined) mutate({ body: { invitation: secret } });
  }, [secret, mutate]);
  if (read.data === undefined) return null;
  return (
    <Note tone="info">{texts.invitedTo(read.data.account_name, shell.roles[read.data.role] ?? read.data.role)}</Note>
  );
}

function ByPassword({ onDone, area }: { onDone(answer: SignedIn): void; area: Area }) {
  const texts = useSignInTexts();
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
        label={texts.user}
        hint={area === 'operator' ? texts.userHint : undefined}
        value={to}
        onChange={setTo}
        dir="ltr"
        name="username"
        autoComplete="username"
      />
      <TextField
        label={texts.password}
        type="password"
        value={password}
        onChange={setPassword}
        dir="ltr"
        name="password"
        autoComplete="current-password"
        error={signIn.error?.message}
        hint={texts.forgot}
      />
      <button
        type="submit"
        className="btn main"
        disabled={signIn.isPending || (area === 'customer' && to.trim() === '') || password === ''}
      >
        {texts.signIn}
      </button>
    </Form>
  );
}

function ByPasskey({ onDone }: { onDone(answer: SignedIn): void }) {
  const texts = useSignInTexts();
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
      toast({ tone: 'bad', text: texts.passkeyStopped });
    }
  };
  return (
    <button type="button" className="btn small" onClick={() => void begin()}>
      <Icon name="lock" />
      {texts.withPasskey}
    </button>
  );
}
