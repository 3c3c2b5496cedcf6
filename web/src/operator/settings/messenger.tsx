/** The carriers that send messages to people, and a test of them. */

import type { getMessenger, tryMessenger } from '@dargah/api/admin/messenger-settings.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useChange, useRead } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { Carriers } from './carriers.tsx';
import { useServiceTexts } from './service-texts.ts';

export function Messenger() {
  const texts = useServiceTexts();
  const operator = useTexts();
  const mayTry = useStaffMay<typeof tryMessenger>(['owner']);
  const [to, setTo] = useState('');
  const messenger = useRead<typeof getMessenger>('GET /api/admin/messenger', {}).data;
  const test = useChange<typeof tryMessenger>('POST /api/admin/messenger/test', {
    quiet: true,
    stale: ['GET /api/admin/outbox', 'GET /api/admin/setup'],
  });
  return (
    <Panel title={texts.messenger}>
      <div className="pad stack gap-m">
        <p className="mid">{texts.messengerText}</p>
        {messenger?.sandbox === true && (
          <p>
            {texts.sandbox} {mayTry && <Link href="/operator/outbox">{operator.outbox}</Link>}
          </p>
        )}
        {mayTry && (
          <Form label={texts.test} onSubmit={() => test.mutate({ body: { to: to.trim() } })}>
            <TextField
              label={texts.testTo}
              name="messenger_to"
              dir="ltr"
              value={to}
              onChange={setTo}
              error={test.error?.message}
            />
            <div className="row">
              <button type="submit" className="btn" disabled={to.trim().length < 3 || test.isPending}>
                {texts.test}
              </button>
              {test.data?.sandbox === true && <Pill tone="info">{texts.keptInOutbox}</Pill>}
            </div>
          </Form>
        )}
        {test.data?.trials.map(({ carrier, failure }) => (
          <p key={carrier} className="row">
            <Id value={carrier} />
            <Pill tone={failure === null ? 'ok' : 'bad'}>
              {failure === null ? texts.arrived : <bdi>{failure}</bdi>}
            </Pill>
          </p>
        ))}
      </div>
      {messenger !== undefined && <Carriers carriers={messenger.settings} />}
    </Panel>
  );
}
