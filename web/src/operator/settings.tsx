/** Settings of the service; what the configuration file fixes is shown and cannot be changed here. */
import { useState } from 'react';
import type {
  changeSettings,
  getSettings,
  resetOperatorPassword,
} from '../../../server/src/http/admin/routes/service.ts';
import type { Result } from '../api/call.ts';
import { useChange, useRead } from '../api/read.ts';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { Form, NumberField, Toggle } from '../parts/form.tsx';
import { CopyButton, Note, PageHead, Panel } from '../parts/small.tsx';
import { useToast } from '../parts/toast.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useShared } from '../words/shared.ts';
import { useWords } from './words.ts';

export default function OperatorSettings() {
  const words = useWords();
  const read = useRead<typeof getSettings>('GET /api/admin/settings', {});
  if (read.error !== null) return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={words.nav.settings} />
      <div className="stack">
        {read.data !== undefined && <General settings={read.data} />}
        <Password />
      </div>
    </>
  );
}

function General({ settings }: { settings: Result<typeof getSettings> }) {
  const words = useWords();
  const shared = useShared();
  const toast = useToast();
  const [minimum, setMinimum] = useState<string | null>(settings.wallet_minimum);
  const [interrupted, setInterrupted] = useState(settings.charge_interrupted);
  const fixed = (field: string) => settings.fixed_by_file.includes(field);
  const save = useChange<typeof changeSettings>('PATCH /api/admin/settings', {
    stale: ['GET /api/admin/settings'],
    done: () => toast({ text: shared.saved }),
  });
  return (
    <Panel title={words.nav.settings}>
      <Form
        className="pad stack m narrow-form"
        label={words.nav.settings}
        onSubmit={() =>
          save.mutate({
            body: {
              ...(fixed('wallet_minimum') || minimum === null ? {} : { wallet_minimum: minimum }),
              ...(fixed('charge_interrupted') ? {} : { charge_interrupted: interrupted }),
            },
          })
        }
      >
        <NumberField
          label={words.walletMinimum}
          unit={shared.toman}
          value={minimum}
          onChange={setMinimum}
          hint={fixed('wallet_minimum') ? words.fixedByFile : undefined}
        />
        <Toggle checked={interrupted} onChange={setInterrupted} disabled={fixed('charge_interrupted')}>
          {words.chargeInterrupted}
        </Toggle>
        {settings.fixed_by_file.length > 0 && (
          <Note tone="info">
            {words.fixedByFile}: <bdi dir="ltr">{settings.fixed_by_file.join(', ')}</bdi>
          </Note>
        )}
        <div className="row">
          <button type="submit" className="btn main" disabled={save.isPending}>
            {words.save}
          </button>
        </div>
      </Form>
    </Panel>
  );
}

function Password() {
  const words = useWords();
  const shared = useShared();
  const [asking, setAsking] = useState(false);
  const reset = useChange<typeof resetOperatorPassword>('POST /api/admin/operators/reset-password', {
    done: () => setAsking(false),
  });
  return (
    <Panel title={words.resetPassword}>
      <div className="pad">
        <button type="button" className="btn" onClick={() => setAsking(true)}>
          {words.resetPassword}
        </button>
      </div>
      {asking && (
        <Confirm
          title={words.resetPassword}
          act={words.resetPassword}
          busy={reset.isPending}
          onConfirm={() => reset.mutate({})}
          onClose={() => setAsking(false)}
        >
          <p>{words.secretHint}</p>
        </Confirm>
      )}
      {reset.data !== undefined && (
        <Dialog
          title={words.resetPassword}
          closable={false}
          onClose={() => reset.reset()}
          footer={
            <button type="button" className="btn main" onClick={() => reset.reset()}>
              {shared.close}
            </button>
          }
        >
          <p>{words.newPassword}</p>
          <div className="secret">
            <span>{reset.data.operator_password}</span>
            <CopyButton text={reset.data.operator_password} />
          </div>
        </Dialog>
      )}
    </Panel>
  );
}
