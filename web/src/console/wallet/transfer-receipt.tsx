/** The receipt of a bank transfer: entered once, shown afterwards, and corrected while its order waits. */

import type { sendTransferReceipt } from '@dargah/api/console/payments.ts';
import { useState } from 'react';
import { errorAt, useChange } from '../../api/read.ts';
import { addDays, type Day, dayAt } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { DateField } from '../../parts/date-field.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { ORDER_STALE, type OwnOrder } from './order-parts.ts';
import { useOrderTexts } from './order-texts.ts';

const HOME_ZONE = 'Asia/Tehran';

export function TransferReceipt({ order }: { order: OwnOrder }) {
  const own = useOrderTexts();
  const [isEdited, setEdited] = useState(false);
  const { receipt } = order;
  return (
    <section className="pad stack gap-m" aria-label={own.receipt}>
      <h2>{own.receipt}</h2>
      {receipt === null || isEdited ? (
        <ReceiptForm order={order} onDone={() => setEdited(false)} isCorrection={receipt !== null} />
      ) : (
        <SentReceipt receipt={receipt} onCorrect={() => setEdited(true)} />
      )}
    </section>
  );
}

function SentReceipt({ receipt, onCorrect }: { receipt: NonNullable<OwnOrder['receipt']>; onCorrect(): void }) {
  const own = useOrderTexts();
  const format = useFormat();
  return (
    <>
      <FactList
        facts={[
          [own.number, <Id key="number" value={receipt.number} />],
          [own.paidOn, format.date(`${receipt.paid_on}T12:00:00Z`)],
          ...(receipt.paid_from === null ? [] : [[own.paidFrom, <Id key="from" value={receipt.paid_from} />] as const]),
          [own.sentAt, <Moment key="sent" at={receipt.sent_at} exact />],
        ]}
      />
      <div className="row">
        <button type="button" className="btn small" onClick={onCorrect}>
          {own.correct}
        </button>
      </div>
    </>
  );
}

function ReceiptForm({ order, onDone, isCorrection }: { order: OwnOrder; onDone(): void; isCorrection: boolean }) {
  const own = useOrderTexts();
  const shared = useShared();
  const toast = useToast();
  const today = dayAt(Date.now(), HOME_ZONE);
  const [number, setNumber] = useState(order.receipt?.number ?? '');
  const [paidOn, setPaidOn] = useState<Day | null>(order.receipt?.paid_on ?? today);
  // A stored card number has its middle hidden, so it cannot be sent again.
  const [paidFrom, setPaidFrom] = useState(
    order.receipt?.paid_from?.includes('*') ? '' : (order.receipt?.paid_from ?? ''),
  );
  const send = useChange<typeof sendTransferReceipt>('PUT /api/console/wallet/orders/:id/receipt', {
    quiet: true,
    stale: ORDER_STALE,
    done() {
      toast({ text: own.saved });
      onDone();
    },
  });
  const isKnown = ['number', 'paid_on', 'paid_from'].some((field) => errorAt(send.error, field) !== undefined);
  return (
    <Form
      label={own.receipt}
      onSubmit={() => {
        if (paidOn === null) return;
        const from = paidFrom.trim() === '' ? null : paidFrom.trim();
        send.mutate({ params: { id: order.id }, body: { number: number.trim(), paid_on: paidOn, paid_from: from } });
      }}
    >
      {!isCorrection && <p className="mid">{own.receiptLead}</p>}
      <TextField
        label={own.number}
        name="receipt_number"
        error={errorAt(send.error, 'number')}
        value={number}
        onChange={setNumber}
        dir="ltr"
        inputMode="numeric"
        autoComplete="off"
      />
      <DateField
        label={own.paidOn}
        error={errorAt(send.error, 'paid_on')}
        value={paidOn}
        onChange={setPaidOn}
        earliest={addDays(today, -89)}
        empty={own.chooseDay}
      />
      <TextField
        label={own.paidFrom}
        hint={own.paidFromHint}
        name="receipt_from"
        error={errorAt(send.error, 'paid_from')}
        value={paidFrom}
        onChange={setPaidFrom}
        dir="ltr"
        autoComplete="off"
      />
      <div className="row">
        <button type="submit" className="btn main" disabled={number.trim() === '' || paidOn === null || send.isPending}>
          {own.send}
        </button>
        {isCorrection && (
          <button type="button" className="btn" onClick={onDone}>
            {shared.cancel}
          </button>
        )}
        {send.error !== null && !isKnown && <span className="bad">{send.error.message}</span>}
      </div>
    </Form>
  );
}
