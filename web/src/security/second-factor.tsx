/** The second factor, with its picture for a phone and its spare codes. */

import type { beginTotp, confirmTotp, removeTotp } from '@dargah/api/console/ways-in.ts';
import { useState } from 'react';
import { useChange } from '../api/read.ts';
import { plainNumber } from '../format.ts';
import { Code, Id } from '../parts/copyable.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Form, TextField } from '../parts/form.tsx';
import { Panel } from '../parts/page-frame.tsx';
import { Qr } from '../parts/qr.tsx';
import { useMe } from '../session.tsx';
import { useTexts } from '../texts/settings-texts.ts';
import { ME } from './me.ts';

export function SecondFactorPanel() {
  const texts = useTexts();
  const me = useMe();
  const [code, setCode] = useState('');
  const begin = useChange<typeof beginTotp>('POST /api/console/me/second-factor');
  const confirm = useChange<typeof confirmTotp>('POST /api/console/me/second-factor/confirm', { quiet: true });
  const again = useChange<typeof removeTotp>('POST /api/console/me/second-factor/remove', {
    quiet: true,
    stale: [ME],
    done: () => setCode(''),
  });
  const codes = confirm.data?.recovery_codes;
  const input = (
    <TextField
      label={texts.code}
      value={code}
      onChange={setCode}
      dir="ltr"
      inputMode="numeric"
      autoComplete="one-time-code"
      error={confirm.error?.message ?? again.error?.message}
    />
  );
  return (
    <Panel title={texts.second}>
      <div className="pad stack gap-m">
        <p className="mid">{me.second_factor ? texts.secondOn : texts.secondOff}</p>
        {me.second_factor ? (
          <Form onSubmit={() => again.mutate({ body: { code: plainNumber(code) } })}>
            {input}
            <div className="row">
              <button type="submit" className="btn" disabled={code.length < 6 || again.isPending}>
                {texts.secondRemove}
              </button>
            </div>
          </Form>
        ) : begin.data === undefined ? (
          <div className="row">
            <button type="button" className="btn" disabled={begin.isPending} onClick={() => begin.mutate({})}>
              {texts.secondSetup}
            </button>
          </div>
        ) : (
          <Form onSubmit={() => confirm.mutate({ body: { code: plainNumber(code) } })}>
            <p>{texts.secondScan}</p>
            <Qr text={begin.data.uri} label={texts.secondScan} />
            <Id value={begin.data.secret} copy boxed />
            {input}
            <div className="row">
              <button type="submit" className="btn main" disabled={code.length < 6 || confirm.isPending}>
                {texts.secondConfirm}
              </button>
            </div>
          </Form>
        )}
      </div>
      {codes !== undefined && (
        <Dialog
          title={texts.recovery}
          closable={false}
          onClose={() => undefined}
          footer={
            <button
              type="button"
              className="btn main"
              onClick={() => {
                confirm.reset();
                begin.reset();
                setCode('');
                location.reload();
              }}
            >
              {texts.done}
            </button>
          }
        >
          <p>{texts.recoveryText}</p>
          <Code text={codes.join('\n')} />
        </Dialog>
      )}
    </Panel>
  );
}
