import { useState } from 'react';
import type { giveSecondFactor } from '../../../server/src/http/console/routes/sign-in.ts';
import { useChange } from '../api/read.ts';
import { Form, TextField } from '../parts/form.tsx';
import type { SignedIn } from './sign-in.tsx';
import { useSignInTexts } from './texts.ts';

export function SecondFactorStep({ ticket, onDone }: { ticket: string; onDone(answer: SignedIn): void }) {
  const texts = useSignInTexts();
  const [code, setCode] = useState('');
  const give = useChange<typeof giveSecondFactor>('POST /api/console/sign-in/second-factor', {
    quiet: true,
    done: onDone,
  });
  return (
    <Form onSubmit={() => give.mutate({ body: { ticket, code: code.trim() } })}>
      <p className="mid">{texts.secondFactorLead}</p>
      <TextField
        label={texts.secondFactor}
        value={code}
        onChange={setCode}
        dir="ltr"
        autoComplete="one-time-code"
        error={give.error?.message}
      />
      <button type="submit" className="btn main" disabled={give.isPending || code.trim().length < 6}>
        {texts.signIn}
      </button>
    </Form>
  );
}
