/** What a gateway had paid before the books began: once per gateway. */

import type { getInvoiceSettings } from '@dargah/api/admin/invoicing.ts';
import type { openGatewayBooks } from '@dargah/api/admin/settlements.ts';
import type { listPaymentGateways } from '@dargah/api/admin/ways-to-pay.ts';
import { useState } from 'react';
import { useChange, useRead } from '../../../api/read.ts';
import { DateField } from '../../../parts/date-field.tsx';
import { Form, NumberField, SelectField } from '../../../parts/form.tsx';
import { Note, Panel } from '../../../parts/page-frame.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { useShared } from '../../../texts/shared.ts';
import { ChangedBy } from '../../changed-by.tsx';
import { STALE } from './stale.ts';
import { useSettlementTexts } from './texts.ts';

export function OpeningForm() {
  const texts = useSettlementTexts();
  return (
    <Panel title={texts.tabs.opening}>
      <ChangedBy<typeof openGatewayBooks> roles={['owner', 'finance']}>
        <Fields />
      </ChangedBy>
    </Panel>
  );
}

function Fields() {
  const texts = useSettlementTexts();
  const shared = useShared();
  const toast = useToast();
  const gateways = useSettlingGateways();
  const banks = useBanks();
  const [typed, setTyped] = useState<{
    gateway?: string;
    bank?: string;
    arrived: string | null;
    fee: string | null;
    until: string | null;
  }>({
    arrived: null,
    fee: null,
    until: null,
  });
  const change = (next: Partial<typeof typed>) => setTyped((before) => ({ ...before, ...next }));
  const open = useChange<typeof openGatewayBooks>('POST /api/admin/settlements/opening', {
    quiet: true,
    stale: STALE,
    done() {
      setTyped({ arrived: null, fee: null, until: null });
      toast({ text: texts.openingDone });
    },
  });
  const gateway = typed.gateway ?? gateways[0]?.[0];
  const { arrived, fee, until } = typed;
  const isWhole = gateway !== undefined && arrived !== null && until !== null;
  const send = () => {
    if (gateway === undefined || arrived === null || until === null) return;
    const bank = typed.bank === undefined ? {} : { bank: typed.bank };
    open.mutate({ body: { gateway, ...bank, arrived, fee: fee ?? '0', until } });
  };
  return (
    <Form className="pad stack gap-m narrow-form" label={texts.tabs.opening} onSubmit={send}>
      <p className="mid">{texts.openingText}</p>
      <SelectField
        label={texts.openingGateway}
        value={gateway ?? ''}
        onChange={(next) => change({ gateway: next })}
        options={gateways}
      />
      {banks.length > 1 && (
        <SelectField
          label={texts.bank}
          value={typed.bank ?? banks[0]?.[0] ?? ''}
          onChange={(bank) => change({ bank })}
          options={banks}
        />
      )}
      <NumberField
        label={texts.openingArrived}
        unit={shared.toman}
        name="arrived"
        value={arrived}
        onChange={(next) => change({ arrived: next })}
        error={open.error?.message}
      />
      <NumberField
        label={texts.openingFee}
        unit={shared.toman}
        name="fee"
        value={fee}
        onChange={(next) => change({ fee: next })}
      />
      <DateField
        label={texts.openingUntil}
        value={until}
        onChange={(next) => change({ until: next })}
        empty={texts.chooseDay}
      />
      <div className="row">
        <button type="submit" className="btn" disabled={!isWhole || open.isPending}>
          {texts.openingBook}
        </button>
      </div>
      <Note tone="info">{texts.bankOpeningText}</Note>
    </Form>
  );
}

/** Gateways that hold money for us until they settle. */
export function useSettlingGateways(): (readonly [string, string])[] {
  const read = useRead<typeof listPaymentGateways>('GET /api/admin/payment-gateways', {});
  const none = ['bank-transfer', 'gift-code', 'sandbox'];
  return (read.data?.data ?? []).filter(({ id }) => !none.includes(id)).map(({ id }) => [id, id] as const);
}

export function useBanks(): (readonly [string, string])[] {
  const read = useRead<typeof getInvoiceSettings>('GET /api/admin/invoice-settings', {});
  return (read.data?.bank_accounts ?? []).map(({ id, name }) => [id, name === '' ? id : name] as const);
}
