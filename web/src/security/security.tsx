/** Ways of signing in, the second factor, and the devices that are signed in. */

import type {
  addSignInMethod,
  listSignInMethods,
  removeSignInMethod,
  sendMethodCode,
  setPassword,
} from '@dargah/api/console/ways-in.ts';
import { useState } from 'react';
import { useChange, useRead } from '../api/read.ts';
import { plainNumber } from '../format.ts';
import { Id } from '../parts/copyable.tsx';
import { AskingButton } from '../parts/dialog.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { Panel } from '../parts/page-frame.tsx';
import { Table } from '../parts/table.tsx';
import { useToast } from '../parts/toast.tsx';
import { useMe } from '../session.tsx';
import { useWords } from '../words/settings-words.ts';
import { ME } from './me.ts';
import { Passkeys } from './passkeys.tsx';
import { SecondFactorPanel } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

export function Security() {
  return (
    <div className="stack">
      <Sessions />
      <Methods />
      <div className="columns two">
        <Password />
        <SecondFactorPanel />
      </div>
      <Passkeys />
    </div>
  );
}

function Methods() {
  const words = useWords();
  const [to, setTo] = useState('');
  const [code, setCode] = useState('');
  const stale = ['GET /api/console/me/methods'];
  const list = useRead<typeof listSignInMethods>('GET /api/console/me/methods', {}).data?.data;
  const send = useChange<typeof sendMethodCode>('POST /api/console/me/methods/codes', { quiet: true });
  const add = useChange<typeof addSignInMethod>('POST /api/console/me/methods', {
    quiet: true,
    stale,
    done() {
      setTo('');
      setCode('');
      send.reset();
    },
  });
  const remove = useChange<typeof removeSignInMethod>('DELETE /api/console/me/methods/:id', { stale });
  return (
    <Panel title={words.methods}>
      <Table
        label={words.methods}
        rows={list}
        idOf={({ id }) => id}
        skeleton={1}
        columns={[
          { id: 'value', head: words.contact, fold: 'c1', cell: ({ value }) => <Id value={value} /> },
          {
            id: 'remove',
            head: '',
            fold: 'c2',
            cell: ({ id, value }) =>
              (list?.length ?? 0) > 1 && (
                <AskingButton
                  title={words.removeMethodTitle(value)}
                  text={words.removeMethodText}
                  onConfirm={() => remove.mutate({ params: { id } })}
                >
                  {words.remove}
                </AskingButton>
              ),
          },
        ]}
      />
      <Form
        className="pad stack m under narrow-form"
        label={words.addMethod}
        onSubmit={() =>
          send.isSuccess
            ? add.mutate({ body: { to: to.trim(), code: plainNumber(code) } })
            : send.mutate({ body: { to: to.trim() } })
        }
      >
        <TextField
          label={words.newContact}
          value={to}
          onChange={setTo}
          dir="ltr"
          disabled={send.isSuccess}
          error={send.error?.message}
        />
        {send.isSuccess && (
          <TextField
            label={words.code}
            value={code}
            onChange={setCode}
            dir="ltr"
            inputMode="numeric"
            autoComplete="one-time-code"
            error={add.error?.message}
          />
        )}
        <div className="row">
          <button type="submit" className="btn" disabled={to.trim() === '' || send.isPending || add.isPending}>
            {send.isSuccess ? words.addMethod : words.sendCode}
          </button>
        </div>
      </Form>
    </Panel>
  );
}

function Password() {
  const words = useWords();
  const toast = useToast();
  const me = useMe();
  const [next, setNext] = useState('');
  const save = useChange<typeof setPassword>('PUT /api/console/me/password', {
    quiet: true,
    stale: [ME, 'GET /api/console/me/sessions'],
    done() {
      setNext('');
      toast({ text: words.passwordDone });
    },
  });
  return (
    <Panel title={words.password}>
      <Form className="pad stack m" label={words.password} onSubmit={() => save.mutate({ body: { password: next } })}>
        <p className="mid">{me.has_password ? words.passwordSet : words.passwordNone}</p>
        <TextField
          label={words.next}
          hint={words.nextHint}
          type="password"
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          dir="ltr"
          error={save.error?.message}
        />
        <div className="row">
          <button type="submit" className="btn" disabled={next.length < 10 || save.isPending}>
            {words.setPassword}
          </button>
        </div>
      </Form>
    </Panel>
  );
}
