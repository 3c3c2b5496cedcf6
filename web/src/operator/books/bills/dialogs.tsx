/** Enter a bill, and pay one. */

import type { enterBill, getAccrued, listBills, payBill } from '@dargah/api/admin/bills.ts';
import type { listProviders } from '@dargah/api/admin/providers.ts';
import { useState } from 'react';
import type { Result } from '../../../api/call.ts';
import { errorAt, useChange, useRead } from '../../../api/read.ts';
import { DateField } from '../../../parts/date-field.tsx';
import { Dialog, DialogActs } from '../../../parts/dialog.tsx';
import { Amount } from '../../../parts/figures.tsx';
import { NumberField, SelectField, TextField } from '../../../parts/form.tsx';
import { Note } from '../../../parts/page-frame.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { useShared } from '../../../texts/shared.ts';
import { useBanks } from '../settlement/opening.tsx';
import { useBillTexts } from './texts.ts';

type Bill = Result<typeof listBills>['data'][number];
const STALE = ['GET /api/admin/bills', 'GET /api/admin/documents', 'GET /api/admin/open-items'];
const EMPTY = {
  provider: undefined as string | undefined,
  number: '',
  datedOn: null as string | null,
  firstDay: null as string | null,
  lastDay: null as string | null,
  currency: 'USD',
  units: null as string | null,
  amount: null as string | null,
};

export function EnterBill({ onClose }: { onClose(): void }) {
  const texts = useBillTexts();
  const toast = useToast();
  const [typed, setTyped] = useState(EMPTY);
  const providers = useRead<typeof listProviders>('GET /api/admin/providers', {});
  const enter = useChange<typeof enterBill>('POST /api/admin/bills', {
    quiet: true,
    stale: STALE,
    done() {
      toast({ text: texts.entered });
      onClose();
    },
  });
  const names = (providers.data?.data ?? []).map(({ id }) => [id, id] as const);
  const provider = typed.provider ?? names[0]?.[0];
  const { number, datedOn, firstDay, lastDay, currency, units, amount } = typed;
  const body =
    provider === undefined ||
    number.trim() === '' ||
    datedOn === null ||
    firstDay === null ||
    lastDay === null ||
    units === null ||
    amount === null
      ? undefined
      : {
          provider,
          number: number.trim(),
          dated_on: datedOn,
          first_day: firstDay,
          last_day: lastDay,
          currency,
          units,
          amount,
        };
  const change = (next: Partial<typeof EMPTY>) => setTyped((before) => ({ ...before, ...next }));
  return (
    <Dialog
      title={texts.enter}
      onClose={onClose}
      footer={
        <DialogActs
          disabled={body === undefined || enter.isPending}
          onAct={() => body !== undefined && enter.mutate({ body })}
          onClose={onClose}
        >
          {texts.enter}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <p className="mid">{texts.enterText}</p>
        <SelectField
          label={texts.provider}
          value={provider ?? ''}
          onChange={(next) => change({ provider: next })}
          options={names}
        />
        <BillFields typed={typed} change={change} error={enter.error} />
        {provider !== undefined && firstDay !== null && lastDay !== null && (
          <Counted provider={provider} first={firstDay} last={lastDay} />
        )}
      </div>
    </Dialog>
  );
}

function BillFields({
  typed,
  change,
  error,
}: {
  typed: typeof EMPTY;
  change(next: Partial<typeof EMPTY>): void;
  error: Error | null;
}) {
  const texts = useBillTexts();
  const shared = useShared();
  const isKnown = errorAt(error, 'number') !== undefined || errorAt(error, 'amount') !== undefined;
  return (
    <>
      <TextField
        label={texts.number}
        dir="ltr"
        value={typed.number}
        onChange={(number) => change({ number })}
        error={errorAt(error, 'number')}
      />
      <DateField
        label={texts.datedOn}
        value={typed.datedOn}
        onChange={(datedOn) => change({ datedOn })}
        empty={texts.chooseDay}
      />
      <div className="columns">
        <DateField
          label={texts.firstDay}
          value={typed.firstDay}
          onChange={(firstDay) => change({ firstDay })}
          empty={texts.chooseDay}
        />
        <DateField
          label={texts.lastDay}
          value={typed.lastDay}
          onChange={(lastDay) => change({ lastDay })}
          empty={texts.chooseDay}
        />
      </div>
      <div className="columns">
        <TextField
          label={texts.currency}
          dir="ltr"
          value={typed.currency}
          onChange={(currency) => change({ currency })}
        />
        <NumberField label={texts.units} name="units" value={typed.units} onChange={(units) => change({ units })} />
      </div>
      <NumberField
        label={texts.amount}
        unit={shared.toman}
        name="amount"
        value={typed.amount}
        onChange={(amount) => change({ amount })}
        error={errorAt(error, 'amount') ?? (isKnown ? undefined : error?.message)}
      />
    </>
  );
}

function Counted({ provider, first, last }: { provider: string; first: string; last: string }) {
  const texts = useBillTexts();
  const read = useRead<typeof getAccrued>('GET /api/admin/accrued-costs', {
    query: { provider, first_day: first, last_day: last },
  });
  if (read.data === undefined) return null;
  return (
    <Note tone="info">
      {texts.accrued}: <Amount value={read.data.amount} unit />
    </Note>
  );
}

export function PayBill({ bill, onClose }: { bill: Bill; onClose(): void }) {
  const texts = useBillTexts();
  const shared = useShared();
  const toast = useToast();
  const banks = useBanks();
  const [from, setFrom] = useState<string>();
  const [units, setUnits] = useState<string | null>(null);
  const [cost, setCost] = useState<string | null>(bill.amount);
  const [fee, setFee] = useState<string | null>(null);
  const pay = useChange<typeof payBill>('POST /api/admin/bills/:id/payment', {
    quiet: true,
    stale: STALE,
    done() {
      toast({ text: texts.paid });
      onClose();
    },
  });
  const options = [
    ...banks.map(([id, name]) => [`bank:${id}`, name] as const),
    ...['USD', 'USDT', 'EUR'].map((unit) => [`fx:${unit}`, `${texts.fromCurrency} · ${unit}`] as const),
  ];
  const at = from ?? options[0]?.[0] ?? '';
  const currency = at.startsWith('fx:') ? at.slice(3) : undefined;
  const isWhole = cost !== null && (currency === undefined || units !== null);
  const send = () => {
    if (cost === null) return;
    const source = currency === undefined ? { bank: at.slice(5) } : { currency, ...(units === null ? {} : { units }) };
    pay.mutate({ params: { id: bill.id }, body: { ...source, cost, ...(fee === null ? {} : { fee }) } });
  };
  return (
    <Dialog
      title={texts.payTitle}
      onClose={onClose}
      footer={
        <DialogActs disabled={!isWhole || pay.isPending} onAct={send} onClose={onClose}>
          {texts.pay}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <p className="mid">{texts.payText}</p>
        <SelectField label={texts.from} value={at} onChange={setFrom} options={options} />
        {currency !== undefined && (
          <NumberField label={texts.units} unit={currency} name="units" value={units} onChange={setUnits} />
        )}
        <NumberField
          label={texts.cost}
          unit={shared.toman}
          name="cost"
          value={cost}
          onChange={setCost}
          error={pay.error?.message}
        />
        <NumberField label={texts.fee} unit={shared.toman} name="fee" value={fee} onChange={setFee} />
      </div>
    </Dialog>
  );
}
