/** Webhooks of one's own, with their once-shown secret. */

import type { addStaffTarget, deleteStaffTarget, enableStaffTarget } from '@dargah/api/admin/outages.ts';
import { useState } from 'react';
import { errorAt, useChange } from '../../../api/read.ts';
import { CopyButton, Id } from '../../../parts/copyable.tsx';
import { AskingButton, Dialog } from '../../../parts/dialog.tsx';
import { Form, TextField } from '../../../parts/form.tsx';
import { Empty, Panel } from '../../../parts/page-frame.tsx';
import { Pill } from '../../../parts/pill.tsx';
import { Table } from '../../../parts/table.tsx';
import type { OwnAlerts } from './own-alerts.ts';
import { useAlertTexts } from './texts.ts';

const STALE = ['GET /api/admin/alerts'];

export function OwnTargets({ targets }: { targets: OwnAlerts['targets'] }) {
  const texts = useAlertTexts();
  const [secret, setSecret] = useState<string>();
  const enable = useChange<typeof enableStaffTarget>('POST /api/admin/alerts/targets/:id/enable', { stale: STALE });
  const remove = useChange<typeof deleteStaffTarget>('DELETE /api/admin/alerts/targets/:id', { stale: STALE });
  return (
    <Panel title={texts.targets}>
      <AddTarget onSecret={setSecret} />
      <Table
        label={texts.targets}
        rows={targets}
        idOf={({ id }) => id}
        empty={<Empty title={texts.noTargets} text={texts.noTargetsText} />}
        columns={[
          { id: 'url', head: texts.url, fold: 'c1', cell: ({ url }) => <Id value={url} /> },
          {
            id: 'state',
            head: texts.state,
            fold: 'c3',
            cell: ({ enabled, problem }) => (
              <Pill tone={enabled ? 'ok' : 'warn'}>{enabled ? texts.active : (problem ?? texts.disabled)}</Pill>
            ),
          },
          {
            id: 'actions',
            head: '',
            fold: 'c2',
            cell: ({ id, url, enabled }) => (
              <span className="row">
                {!enabled && (
                  <button type="button" className="btn small" onClick={() => enable.mutate({ params: { id } })}>
                    {texts.enable}
                  </button>
                )}
                <AskingButton
                  title={texts.removeTitle(url)}
                  text={texts.removeText}
                  onConfirm={() => remove.mutate({ params: { id } })}
                >
                  {texts.remove}
                </AskingButton>
              </span>
            ),
          },
        ]}
      />
      {secret !== undefined && <Secret secret={secret} onClose={() => setSecret(undefined)} />}
    </Panel>
  );
}

function AddTarget({ onSecret }: { onSecret(secret: string): void }) {
  const texts = useAlertTexts();
  const [url, setUrl] = useState('');
  const add = useChange<typeof addStaffTarget>('POST /api/admin/alerts/targets', {
    quiet: true,
    stale: STALE,
    done(target) {
      setUrl('');
      onSecret(target.secret);
    },
  });
  return (
    <Form className="pad row ends" label={texts.add} onSubmit={() => add.mutate({ body: { url: url.trim() } })}>
      <div className="grow">
        <TextField
          label={texts.url}
          hint={texts.targetsText}
          value={url}
          onChange={setUrl}
          dir="ltr"
          placeholder="https://"
          error={errorAt(add.error, 'url') ?? add.error?.message}
        />
      </div>
      <button type="submit" className="btn" disabled={url.trim() === '' || add.isPending}>
        {texts.add}
      </button>
    </Form>
  );
}

function Secret({ secret, onClose }: { secret: string; onClose(): void }) {
  const texts = useAlertTexts();
  return (
    <Dialog
      title={texts.secretTitle}
      closable={false}
      onClose={onClose}
      footer={
        <button type="button" className="btn main" onClick={onClose}>
          {texts.done}
        </button>
      }
    >
      <p>{texts.secretText}</p>
      <div className="secret">
        <span>{secret}</span>
        <CopyButton text={secret} />
      </div>
    </Dialog>
  );
}
