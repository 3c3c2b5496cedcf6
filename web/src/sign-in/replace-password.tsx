/** Between signing in with the password that the server made and everything else: a password of one's own. */
import { useState } from 'react';
import type { setPassword } from '../../../server/src/http/console/routes/ways-in.ts';
import { errorAt, useChange } from '../api/read.ts';
import { Form, TextField } from '../parts/form.tsx';
import { useSignOut } from '../session.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import { useSignInTexts } from './texts.ts';

const LEAST = 10;

export function ReplacePassword() {
  const texts = useSignInTexts();
  const signOut = useSignOut();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const save = useChange<typeof setPassword>('PUT /api/console/me/password', {
    quiet: true,
    stale: ['GET /api/console/me'],
  });
  const send = () => save.mutate({ body: { password: next, ...(current === '' ? {} : { current }) } });
  const ofNext = errorAt(save.error, 'password');
  return (
    <SignInFrame title={texts.replaceTitle}>
      <p className="mid text">{texts.replaceLead}</p>
      <Form onSubmit={send}>
        <TextField
          label={texts.temporary}
          hint={texts.temporaryHint}
          type="password"
          name="current"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          dir="ltr"
          error={ofNext === undefined ? save.error?.message : undefined}
        />
        <TextField
          label={texts.ownPassword}
          hint={texts.ownPasswordHint}
          type="password"
          name="password"
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          dir="ltr"
          error={ofNext}
        />
        <button type="submit" className="btn main" disabled={save.isPending || next.length < LEAST}>
          {texts.replace}
        </button>
      </Form>
      <div className="row">
        <button type="button" className="link" onClick={() => void signOut()}>
          {texts.signOut}
        </button>
      </div>
    </SignInFrame>
  );
}
