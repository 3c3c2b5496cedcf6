/** What staff do to one order: confirm a transfer, refund it, and say what became of a refund that nobody can tell of. */
import { useState } from 'react';
import type {
  confirmPayment,
  listPayments,
  refundPayment,
  settleRefund,
} from '../../../../server/src/http/admin/routes/payments.ts';
import type { Result } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Amount } from '../../parts/figures.tsx';
import { TextField, Toggle } from '../../parts/form.tsx';
import { useShared } from '../../texts/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { useTexts } from '../texts.ts';
import { usePaymentTexts } from './texts.ts';

export type Order = Result<typeof listPayments>['data'][number];
export type OrderAct = 'confirm' | 'refund' | 'settleSent' | 'settleUnsent';

export const STALE = ['GET /api/admin/payments', 'GET /api/admin/transfers', 'GET /api/admin/audit'];

/** Only what the server would take. */
export function actsOn({ state, gateway, refund }: Order): OrderAct[] {
  if (refund?.state === 'refused' || refund?.state === 'unknown') return ['settleSent', 'settleUnsent'];
  if (state === 'credited') return gateway === 'gift-code' ? [] : ['refund'];
  return gateway === 'bank-transfer' && state !== 'paid' && state !== 'refunded' ? ['confirm'] : [];
}

export function OrderDialog({ act, order, onClose }: { act: OrderAct; order: Order; onClose(): void }) {
  const texts = useTexts();
  const own = usePaymentTexts();
  const shared = useShared();
  const [text, setText] = useState('');
  const [byHand, setByHand] = useState(!SENDS_BACK.has(order.gateway));
  const { run, error, busy } = useAct(act, order, onClose);
  const labels = {
    confirm: own.reference,
    refund: texts.reason,
    settleSent: own.settleNote,
    settleUnsent: own.settleNote,
  };
  return (
    <Dialog
      title={own[act]}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button
            type="button"
            className={act === 'refund' ? 'btn stop' : 'btn main'}
            disabled={text.trim().length < 3 || busy}
            onClick={() => run(text.trim(), byHand)}
          >
            {own[act]}
          </button>
        </>
      }
    >
      <dl className="facts">
        <dt>{texts.account}</dt>
        <dd>
          <AccountLink id={order.account_id} />
        </dd>
        <dt>{texts.amount}</dt>
        <dd>
          <Amount value={order.payable} unit />
        </dd>
        <dt>{texts.id}</dt>
        <dd>
          <Id value={order.id} />
        </dd>
      </dl>
      {act === 'refund' && <p>{own.refundText}</p>}
      {act.startsWith('settle') && <p>{own.settleText}</p>}
      <TextField label={labels[act]} value={text} onChange={setText} dir="auto" error={error} />
      {act === 'refund' && (
        <Toggle checked={byHand} onChange={setByHand}>
          {own.byHand}
        </Toggle>
      )}
    </Dialog>
  );
}

/** Gateways with a call that sends money back; of the others it is sent by hand. */
const SENDS_BACK = new Set(['stripe', 'sandbox']);

function useAct(act: OrderAct, order: Order, done: () => void) {
  const how = { quiet: true, stale: STALE, done };
  const refund = useChange<typeof refundPayment>('POST /api/admin/payments/:id/refund', how);
  const confirm = useChange<typeof confirmPayment>('POST /api/admin/payments/:id/confirm', how);
  const settle = useChange<typeof settleRefund>('POST /api/admin/payments/:id/refund/settle', how);
  const params = { id: order.id };
  const run = (text: string, byHand: boolean) => {
    if (act === 'refund') refund.mutate({ params, body: { reason: text, by_hand: byHand } });
    else if (act === 'confirm') confirm.mutate({ params, body: { reference: text } });
    else settle.mutate({ params, body: { sent: act === 'settleSent', note: text } });
  };
  const { error, isPending } = act === 'refund' ? refund : act === 'confirm' ? confirm : settle;
  return { run, error: error?.message, busy: isPending };
}
