/** What gateways take beside their secrets: the address of their server, and the currency and rate of those that take no toman. */

import type { changePaymentGateway, listPaymentGateways } from '@dargah/api/admin/ways-to-pay.ts';
import { GATEWAY_OPTION_FIELDS } from '@dargah/core/fields/outside-services.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { useDeclared } from '../../parts/declared.ts';
import { Form, NumberField, SecretField, TextField } from '../../parts/form.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { useServiceTexts } from './service-texts.ts';

type Gateway = Result<typeof listPaymentGateways>['data'][number];
type Option = keyof typeof GATEWAY_OPTION_FIELDS;

/** Those that have a server of their own. */
const OPTIONS: Readonly<Record<string, readonly Option[]>> = {
  zarinpal: ['base_url'],
  zibal: ['base_url'],
  stripe: ['base_url', 'currency', 'toman_per_unit'],
};

export function GatewayOptions() {
  const texts = useServiceTexts();
  const general = useTexts();
  const sees = useStaffMay<typeof changePaymentGateway>(['owner', 'finance']);
  const read = useRead<typeof listPaymentGateways>('GET /api/admin/payment-gateways', {});
  const gateways = read.data?.data.filter(({ id }) => id in OPTIONS) ?? [];
  return (
    <Panel title={texts.gatewayOptions}>
      <p className="pad mid">
        {texts.gatewayOptionsText} {sees && <Link href="/operator/payments">{general.nav.payments}</Link>}
      </p>
      <ChangedBy<typeof changePaymentGateway> roles={['owner', 'finance']}>
        {gateways.map((gateway) => (
          <OneGateway key={`${gateway.id} ${JSON.stringify(gateway.options)}`} gateway={gateway} />
        ))}
      </ChangedBy>
    </Panel>
  );
}

function OneGateway({ gateway }: { gateway: Gateway }) {
  const texts = useServiceTexts();
  const general = useTexts();
  const shared = useShared();
  const declared = useDeclared();
  const { language } = useFormat();
  const toast = useToast();
  const [values, setValues] = useState<Record<string, string>>(gateway.options);
  const [secrets, setSecrets] = useState<Record<string, string>>({});
  const save = useChange<typeof changePaymentGateway>('PATCH /api/admin/payment-gateways/:id', {
    stale: ['GET /api/admin/payment-gateways'],
    quiet: true,
    done() {
      setSecrets({});
      toast({ text: shared.saved });
    },
  });
  const names = OPTIONS[gateway.id] ?? [];
  const changed = names.filter((name) => (values[name] ?? '') !== (gateway.options[name] ?? ''));
  const moves = changed.includes('base_url') && gateway.secrets.some(({ set }) => set);
  const put = (name: string, next: string) => setValues((before) => ({ ...before, [name]: next }));
  return (
    <Form
      className="pad under stack gap-m"
      label={gateway.name[language]}
      onSubmit={() =>
        save.mutate({
          params: { id: gateway.id },
          body: {
            options: Object.fromEntries(changed.map((name) => [name, values[name] || null])),
            ...(moves && { secrets }),
          },
        })
      }
    >
      <div className="row between">
        <h3>{gateway.name[language]}</h3>
        <Pill tone={gateway.available ? 'ok' : 'off'}>{gateway.available ? general.on : general.off}</Pill>
      </div>
      <div className="columns">
        {names.map((name) => {
          const { label, hint } = declared(GATEWAY_OPTION_FIELDS[name]);
          const error = errorAt(save.error, `options.${name}`);
          return name === 'toman_per_unit' ? (
            <NumberField
              key={name}
              name={`${gateway.id}_${name}`}
              label={label}
              hint={hint}
              error={error}
              unit={shared.toman}
              value={values[name] ?? null}
              onChange={(next) => put(name, next ?? '')}
            />
          ) : (
            <TextField
              key={name}
              name={`${gateway.id}_${name}`}
              label={label}
              hint={hint}
              error={error}
              dir="ltr"
              placeholder={name === 'base_url' ? 'https://' : 'usd'}
              value={values[name] ?? ''}
              onChange={(next) => put(name, next.trim())}
            />
          );
        })}
        {moves &&
          gateway.secrets.map(({ name }) => (
            <SecretField
              key={name}
              name={`${gateway.id}_${name}`}
              label={texts.secretAgain(name)}
              error={errorAt(save.error, `secrets.${name}`)}
              value={secrets[name] ?? ''}
              onChange={(next) => setSecrets((before) => ({ ...before, [name]: next }))}
            />
          ))}
      </div>
      <div className="row">
        <button type="submit" className="btn" disabled={changed.length === 0 || save.isPending}>
          {general.save}
        </button>
      </div>
    </Form>
  );
}
