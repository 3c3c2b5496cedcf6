/** Passkeys of this person. */

import type { addPasskey, beginPasskey, listPasskeys, removePasskey } from '@dargah/api/console/ways-in.ts';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { useChange, useRead } from '../api/read.ts';
import { AskingButton } from '../parts/dialog.tsx';
import { Moment } from '../parts/figures.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Panel } from '../parts/page-frame.tsx';
import { Table } from '../parts/table.tsx';
import { useToast } from '../parts/toast.tsx';
import { useTexts } from '../texts/settings-texts.ts';
import { useShared } from '../texts/shared.ts';
import { ME } from './me.ts';

export function Passkeys() {
  const texts = useTexts();
  const shared = useShared();
  const toast = useToast();
  const [name, setName] = useState('');
  const list = useRead<typeof listPasskeys>('GET /api/console/me/passkeys', {});
  const remove = useChange<typeof removePasskey>('DELETE /api/console/me/passkeys/:id', {
    stale: ['GET /api/console/me/passkeys', ME],
  });
  const add = async () => {
    const { startRegistration } = await import('@simplewebauthn/browser');
    try {
      const { ticket, options } = await call<typeof beginPasskey>('POST /api/console/me/passkeys/options', {});
      const response = await startRegistration({ optionsJSON: options as never });
      await call<typeof addPasskey>('POST /api/console/me/passkeys', { body: { ticket, name: name.trim(), response } });
      setName('');
      await list.refetch();
      toast({ text: shared.saved });
    } catch {
      toast({ tone: 'bad', text: texts.passkeyStopped });
    }
  };
  return (
    <Panel title={texts.passkeys}>
      <p className="pad mid">{texts.passkeysText}</p>
      {(list.data?.data.length ?? 0) > 0 && (
        <Table
          label={texts.passkeys}
          rows={list.data?.data}
          idOf={({ id }) => id}
          columns={[
            { id: 'name', head: texts.passkeyName, fold: 'c1', cell: ({ name: of }) => <bdi>{of}</bdi> },
            {
              id: 'used',
              head: texts.used,
              fold: 'c3',
              className: 'mid',
              cell: ({ used_at: at }) => (at === null ? texts.never : <Moment at={at} />),
            },
            {
              id: 'remove',
              head: '',
              fold: 'c2',
              cell: ({ id, name: of }) => (
                <AskingButton
                  title={texts.removePasskeyTitle(of)}
                  text={texts.removePasskeyText}
                  onConfirm={() => remove.mutate({ params: { id } })}
                >
                  {texts.remove}
                </AskingButton>
              ),
            },
          ]}
        />
      )}
      <Form className="pad stack gap-m under narrow-form" label={texts.addPasskey} onSubmit={() => void add()}>
        <TextField label={texts.passkeyName} value={name} onChange={setName} dir="auto" />
        <div className="row">
          <button type="submit" className="btn" disabled={name.trim() === ''}>
            <Icon name="lock" />
            {texts.addPasskey}
          </button>
        </div>
      </Form>
    </Panel>
  );
}
