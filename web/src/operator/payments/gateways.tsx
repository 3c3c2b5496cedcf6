/** Gateways with their secrets, and what a customer is told about bank transfers. */

import type { changePaymentGateway, listPaymentGateways } from '@dargah/api/admin/ways-to-pay.ts';
import { useState } from 'react';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { AreaField, Form, SecretField, Toggle } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { usePaymentTexts } from './texts.ts';

export function Gateways() {
  const texts = useTexts();
  const own = usePaymentTexts();
  const { language } = useFormat();
  const [secrets, setSecrets] = useState<Record<string, string>>({});
  const read = useRead<typeof listPaymentGateways>('GET /api/admin/payment-gateways', {});
  const change = useChange<typeof changePaymentGateway>('PATCH /api/admin/payment-gateways/:id', {
    stale: ['GET /api/admin/payment-gateways'],
    done: () => setSecrets({}),
  });
  const mayChange = useStaffMay<typeof changePaymentGateway>(['owner', 'finance']);
  if (read.error !== null && read.data === undefined) return null;
  return (
    <Panel title={own.gateways}>
      <ChangedBy<typeof changePaymentGateway> roles={['owner', 'finance']}>
        {read.data?.data.map((gateway) => (
          <article key={gateway.id} className="talk-line stack gap-s">
            <div className="row between">
              <Toggle
                checked={gateway.enabled}
                onChange={(enabled) => change.mutate({ params: { id: gateway.id }, body: { enabled } })}
              >
                <strong>{gateway.name[language]}</strong>
              </Toggle>
              {gateway.enabled && !gateway.available && <Pill tone="warn">{own.notReady}</Pill>}
            </div>
            {mayChange &&
              gateway.secrets.map((secret) => (
                <Form
                  key={secret.name}
                  className="row starts narrow-form"
                  label={secret.name}
                  onSubmit={() =>
                    change.mutate({
                      params: { id: gateway.id },
                      body: { secrets: { [secret.name]: secrets[gateway.id + secret.name] ?? '' } },
                    })
                  }
                >
                  <div className="grow">
                    <SecretField
                      label={labelOf(own.secretNames, secret.name) ?? <Id value={secret.name} />}
                      placeholder={secret.set ? '••••••••' : ''}
                      hint={texts.secretHint}
                      value={secrets[gateway.id + secret.name] ?? ''}
                      onChange={(next) => setSecrets((before) => ({ ...before, [gateway.id + secret.name]: next }))}
                    />
                  </div>
                  <button
                    type="submit"
                    className="btn small"
                    disabled={(secrets[gateway.id + secret.name] ?? '') === ''}
                  >
                    {texts.save}
                  </button>
                </Form>
              ))}
            {gateway.id === 'bank-transfer' && (
              <Instructions
                text={gateway.options['instructions'] ?? ''}
                onSave={(text) =>
                  change.mutate({
                    params: { id: gateway.id },
                    body: { options: { instructions: text === '' ? null : text } },
                  })
                }
              />
            )}
            {gateway.callback_url !== null && <Id value={gateway.callback_url} copy />}
          </article>
        ))}
      </ChangedBy>
    </Panel>
  );
}

function Instructions({ text, onSave }: { text: string; onSave(text: string): void }) {
  const texts = useTexts();
  const own = usePaymentTexts();
  const [written, setWritten] = useState(text);
  return (
    <Form className="row starts narrow-form" label={own.instructions} onSubmit={() => onSave(written.trim())}>
      <div className="grow">
        <AreaField
          label={own.instructions}
          hint={own.instructionsHint}
          name="instructions"
          dir="auto"
          maxLength={2000}
          value={written}
          onChange={setWritten}
        />
      </div>
      <button type="submit" className="btn small" disabled={written.trim() === text}>
        {texts.save}
      </button>
    </Form>
  );
}
