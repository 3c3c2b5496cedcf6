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
import { useTexts } from '../texts/settings-texts.ts';
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
  const texts = useTexts();
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
    <Panel title={texts.methods}>
      <Table
        label={texts.methods}
        rows={list}
        idOf={({ id }) => id}
        skeleton={1}
        columns={[
          { id: 'value', head: texts.contact, fold: 'c1', cell: ({ value }) => <Id value={value} /> },
          {
            id: 'remove',
            head: '',
            fold: 'c2',
            cell: ({ id, value }) =>
              (list?.length ?? 0) > 1 && (
                <AskingButton
                  title={texts.removeMethodTitle(value)}
                  text={texts.removeMethodText}
                  onConfirm={() => remove.mutate({ params: { id } })}
                >
                  {texts.remove}
                </AskingButton>
              ),
          },
        ]}
      />
      <Form
        className="pad stack gap-m under narrow-form"
        label={texts.addMethod}
        onSubmit={() =>
          send.isSuccess
            ? add.mutate({ body: { to: to.trim(), code: plainNumber(code) } })
            : send.mutate({ body: { to: to.trim() } })
        }
      >
        <TextField
          label={texts.newContact}
          value={to}
          onChange={setTo}
          dir="ltr"
          disabled={send.isSuccess}
          error={send.error?.message}
        />
        {send.isSuccess && (
          <TextField
            label={texts.code}
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
            {send.isSuccess ? texts.addMethod : texts.sendCode}
          </button>
        </div>
      </Form>
    </Panel>
  );
}

function Password() {
  const texts = useTexts();
  const toast = useToast();
  const me = useMe();
  const [next, setNext] = useState('');
  const save = useChange<typeof setPassword>('PUT /api/console/me/password', {
    quiet: true,
    stale: [ME, 'GET /api/console/me/sessions'],
    done() {
      setNext('');
      toast({ text: texts.passwordDone });
    },
  });
  return (
    <Panel title={texts.password}>
      <Form
        className="pad stack gap-m"
        label={texts.password}
        onSubmit={() => save.mutate({ body: { password: next } })}
      >
        <p className="mid">{me.has_password ? texts.passwordSet : texts.passwordNone}</p>
        <TextField
          label={texts.next}
          hint={texts.nextHint}
          type="password"
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          dir="ltr"
          error={save.error?.message}
        />
        <div className="row">
          <button type="submit" className="btn" disabled={next.length < 10 || save.isPending}>
            {texts.setPassword}
          </button>
        </div>
      </Form>
    </Panel>
  );
}
