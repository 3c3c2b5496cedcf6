/**
 * What staff do to one order: confirm a transfer, refund it, and record what became of a refund whose outcome is
 * unknown.
 */

import type { askApproval } from '@dargah/api/admin/by-hand.ts';
import type { getInvoiceSettings } from '@dargah/api/admin/invoicing.ts';
import type {
  confirmPayment,
  listPayments,
  refundPayment,
  rejectPayment,
  settleRefund,
} from '@dargah/api/admin/payments.ts';
import { useDeferredValue, useState } from 'react';
import { Refused, type Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Amount } from '../../parts/figures.tsx';
import { NumberField, SelectField, TextField, Toggle } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { AccountLink } from '../account-link.tsx';
import { useHandTexts } from '../by-hand/texts.ts';
import { useTexts } from '../texts.ts';
import { BankCheck } from './bank-check.tsx';
import { usePaymentTexts } from './texts.ts';

export type Order = Result<typeof listPayments>['data'][number];
export type OrderAct = 'confirm' | 'reject' | 'refund' | 'settleSent' | 'settleUnsent';

export const STALE = ['GET /api/admin/payments', 'GET /api/admin/payments/:id', 'GET /api/admin/transfers'];

/** Shows only what the server would accept. */
export function actsOn({ state, gateway, refund, part_waits: partWaits }: Order): OrderAct[] {
  if (partWaits || refund?.state === 'refused' || refund?.state === 'unknown') return ['settleSent', 'settleUnsent'];
  if (state === 'credited') return gateway === 'gift-code' ? [] : ['refund'];
  if (gateway !== 'bank-transfer' || state === 'paid' || state === 'refunded') return [];
  return state === 'sent' ? ['confirm', 'reject'] : ['confirm'];
}

export function OrderDialog({ act, order, onClose }: { act: OrderAct; order: Order; onClose(): void }) {
  const texts = useTexts();
  const own = usePaymentTexts();
  const shared = useShared();
  // The customer's details of the transfer are compared with the bank's statement, and confirmed under its number.
  const [text, setText] = useState(act === 'confirm' ? (order.receipt?.number ?? '') : '');
  const [byHand, setByHand] = useState(!SENDS_BACK.has(order.gateway));
  const [part, setPart] = useState<string | null>(null);
  const [bank, setBank] = useState<string>();
  const banks = useRead<typeof getInvoiceSettings>('GET /api/admin/invoice-settings', {}).data?.bank_accounts ?? [];
  const format = useFormat();
  // A preview for people; the server computes the real amount.
  const left = format.number(Number(order.amount) - Number(order.refunded));
  const hand = useHandTexts();
  const { run, ask, error, isBeyond, busy } = useAct(act, order, onClose);
  const labels = {
    confirm: own.reference,
    reject: own.rejectReason,
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
            className={act === 'refund' || act === 'reject' ? 'btn stop' : 'btn main'}
            disabled={text.trim().length < 3 || busy}
            onClick={() => run(text.trim(), { byHand, part, bank })}
          >
            {own[act]}
          </button>
          {isBeyond && (
            <button type="button" className="btn main" disabled={busy} onClick={() => ask(text.trim(), { part, bank })}>
              {hand.ask}
            </button>
          )}
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
      {act === 'reject' && <p>{own.rejectText}</p>}
      {act === 'refund' && <p>{own.refundText}</p>}
      {act.startsWith('settle') && <p>{own.settleText}</p>}
      {act === 'confirm' && <TransferInBank order={order} text={text} bank={bank} />}
      <TextField label={labels[act]} value={text} onChange={setText} dir="auto" error={error} />
      {act === 'refund' && (
        <NumberField
          label={own.refundAmount}
          hint={own.refundAmountHint(left)}
          name="amount"
          unit={shared.toman}
          value={part}
          onChange={setPart}
        />
      )}
      {act === 'refund' && (
        <Toggle checked={byHand} onChange={setByHand}>
          {own.byHand}
        </Toggle>
      )}
      {(act === 'confirm' || (act === 'refund' && byHand)) && banks.length > 1 && (
        <SelectField
          label={act === 'confirm' ? own.bankTo : own.bankFrom}
          value={bank ?? banks[0]?.id ?? ''}
          onChange={setBank}
          options={banks.map(({ id, name }) => [id, name] as const)}
        />
      )}
    </Dialog>
  );
}

/** Compared with what is typed, once it can be a bank's number; before that with the customer's. */
function TransferInBank({ order, text, bank }: { order: Order; text: string; bank: string | undefined }) {
  const typed = useDeferredValue(text.trim());
  const isWhole = typed.length >= MIN_NUMBER;
  return <BankCheck order={order.id} bank={bank} {...(isWhole ? { reference: typed } : {})} />;
}

/** Numbers of banks are longer. */
const MIN_NUMBER = 4;

/** Gateways that can send money back by a call; for all others it is sent by hand. */
const SENDS_BACK = new Set(['stripe', 'sandbox']);

function useAct(act: OrderAct, order: Order, done: () => void) {
  const texts = useHandTexts();
  const toast = useToast();
  const how = { quiet: true, stale: STALE, done };
  const refund = useChange<typeof refundPayment>('POST /api/admin/payments/:id/refund', how);
  const confirm = useChange<typeof confirmPayment>('POST /api/admin/payments/:id/confirm', how);
  const reject = useChange<typeof rejectPayment>('POST /api/admin/payments/:id/reject', how);
  const settle = useChange<typeof settleRefund>('POST /api/admin/payments/:id/refund/settle', how);
  const params = { id: order.id };
  const asking = useChange<typeof askApproval>('POST /api/admin/approvals', {
    quiet: true,
    stale: ['GET /api/admin/approvals'],
    done() {
      toast({ text: texts.asked });
      done();
    },
  });
  /** Above the person's own limits a second person decides. */
  const ask = (text: string, { part, bank }: { part: string | null; bank: string | undefined }) => {
    const of = { order_id: order.id, ...(bank === undefined ? {} : { bank }) };
    const amount = part === null || part === '' ? {} : { amount: part };
    asking.mutate({
      body:
        act === 'confirm'
          ? { kind: 'confirmed-transfer', ...of, reference: text, reason: texts.askTitle }
          : { kind: 'order-refund', ...of, ...amount, reason: text },
    });
  };
  const run = (
    text: string,
    { byHand, part, bank }: { byHand: boolean; part: string | null; bank: string | undefined },
  ) => {
    const from = bank === undefined ? {} : { bank };
    const amount = part === null || part === '' ? {} : { amount: part };
    if (act === 'refund') refund.mutate({ params, body: { reason: text, by_hand: byHand, ...amount, ...from } });
    else if (act === 'confirm') confirm.mutate({ params, body: { reference: text, ...from } });
    else if (act === 'reject') reject.mutate({ params, body: { reason: text } });
    else settle.mutate({ params, body: { sent: act === 'settleSent', note: text } });
  };
  const { error, isPending } = { refund, confirm, reject, settleSent: settle, settleUnsent: settle }[act];
  const isBeyond = error instanceof Refused && error.code === 'credit_limit_exceeded';
  return { run, ask, error: asking.error?.message ?? error?.message, isBeyond, busy: isPending || asking.isPending };
}
