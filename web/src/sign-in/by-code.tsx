import { useEffect, useState } from 'react';
import type { sendSignInCode, signInWithCode } from '../../../server/src/http/console/routes/sign-in.ts';
import type { Result } from '../api/call.ts';
import { errorAt, useChange } from '../api/read.ts';
import { plainNumber, useFormat } from '../format.ts';
import { Field, Form, TextField } from '../parts/form.tsx';
import { useLanguage } from '../texts/dictionary.tsx';
import type { SignedIn } from './sign-in.tsx';
import { useSignInTexts } from './texts.ts';

type Sent = Result<typeof sendSignInCode> & { at: number };

export function ByCode({
  onDone,
  sandbox,
  isBack,
}: {
  onDone(answer: SignedIn): void;
  sandbox: boolean;
  isBack: boolean;
}) {
  const texts = useSignInTexts();
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
        again={send.error?.message}
        onAgain={order}
        onChange={() => setSent(undefined)}
        onDone={onDone}
        sandbox={sandbox}
        isBack={isBack}
      />
    );
  }
  return (
    <Form onSubmit={order}>
      <TextField
        label={texts.contact}
        hint={texts.contactHint}
        error={send.error?.message}
        value={to}
        onChange={setTo}
        dir="ltr"
        name="contact"
        autoComplete="username"
        inputMode="email"
      />
      <button type="submit" className="btn main" disabled={send.isPending || to.trim() === ''}>
        {texts.send}
      </button>
    </Form>
  );
}

function CodeStep({
  to,
  sent,
  again,
  sandbox,
  isBack,
  onAgain,
  onChange,
  onDone,
}: {
  to: string;
  sent: Sent;
  /** Why no other code was sent. */
  again: string | undefined;
  sandbox: boolean;
  isBack: boolean;
  onAgain(): void;
  onChange(): void;
  onDone(answer: SignedIn): void;
}) {
  const texts = useSignInTexts();
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
      <p className="mid">
        {sent.sent
          ? texts.sentTo(`\u2066${sent.to}\u2069`, format.number(sent.digits))
          : texts.sentBefore(`\u2066${sent.to}\u2069`)}
      </p>
      <Field
        label={texts.code}
        hint={left > 0 ? texts.codeLife(format.number(left)) : texts.codeOver}
        error={errorAt(signIn.error, 'code') ?? signIn.error?.message ?? again}
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
            maxLength={sent.digits + 4}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      {!isBack && (
        <TextField
          label={texts.name}
          hint={texts.nameHint}
          value={name}
          onChange={setName}
          name="name"
          autoComplete="name"
          dir="auto"
        />
      )}
      {sandbox && <p className="hint dim xs">{texts.sandbox}</p>}
      <button type="submit" className="btn main" disabled={signIn.isPending || plainNumber(code).length < sent.digits}>
        {texts.signIn}
      </button>
      <div className="row between">
        <button type="button" className="link" onClick={onChange}>
          {texts.change}
        </button>
        {wait > 0 ? (
          <span className="dim xs">{texts.resendAfter(format.number(wait))}</span>
        ) : (
          <button type="button" className="link" onClick={onAgain}>
            {texts.resend}
          </button>
        )}
      </div>
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

/** The secret of an invitation stands after `#`, which no server and no log ever sees. */
export function invitationSecret(): string | undefined {
  return /^#invitation=([\w-]{8,128})$/.exec(location.hash)?.[1];
}
