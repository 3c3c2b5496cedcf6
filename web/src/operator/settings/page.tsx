/** Settings of the service; what the configuration file fixes is shown and cannot be changed here. */

import type { getSettings, resetOperatorPassword } from '@dargah/api/admin/service.ts';
import { useState } from 'react';
import { useChange, useRead } from '../../api/read.ts';
import { CopyButton } from '../../parts/copyable.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { PageHead, Panel } from '../../parts/page-frame.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { useStaffMay } from '../may.ts';
import { BringGuideBack } from '../setup/bring-back.tsx';
import { useTexts } from '../texts.ts';
import { Branding } from './branding.tsx';
import { GatewayOptions } from './gateway-options.tsx';
import { General } from './general.tsx';
import { Messenger } from './messenger.tsx';
import { Retention } from './retention.tsx';
import { SiteTexts } from './site-texts.tsx';

export default function OperatorSettings() {
  const texts = useTexts();
  const mayReset = useStaffMay<typeof resetOperatorPassword>(['owner']);
  const read = useRead<typeof getSettings>('GET /api/admin/settings', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={texts.nav.settings} />
      <div className="stack">
        {read.data !== undefined && <General settings={read.data} />}
        <Branding />
        <SiteTexts />
        <Messenger />
        <GatewayOptions />
        {read.data !== undefined && <Retention settings={read.data} />}
        {mayReset && <Password />}
        <BringGuideBack />
      </div>
    </>
  );
}

function Password() {
  const texts = useTexts();
  const shared = useShared();
  const [asking, setAsking] = useState(false);
  const reset = useChange<typeof resetOperatorPassword>('POST /api/admin/operators/reset-password', {
    done: () => setAsking(false),
  });
  return (
    <Panel title={texts.resetPassword}>
      <div className="pad stack gap-m">
        <p className="mid text">{texts.resetText}</p>
        <div className="row">
          <button type="button" className="btn" onClick={() => setAsking(true)}>
            {texts.resetPassword}
          </button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={texts.resetPassword}
          act={texts.resetPassword}
          busy={reset.isPending}
          onConfirm={() => reset.mutate({})}
          onClose={() => setAsking(false)}
        >
          <p>{texts.resetText}</p>
        </Confirm>
      )}
      {reset.data !== undefined && (
        <Dialog
          title={texts.resetPassword}
          closable={false}
          onClose={() => reset.reset()}
          footer={
            <button type="button" className="btn main" onClick={() => reset.reset()}>
              {shared.close}
            </button>
          }
        >
          <p>{texts.newPassword}</p>
          <div className="secret">
            <span>{reset.data.operator_password}</span>
            <CopyButton text={reset.data.operator_password} />
          </div>
        </Dialog>
      )}
    </Panel>
  );
}
