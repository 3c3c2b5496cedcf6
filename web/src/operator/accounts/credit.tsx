/** Credit by hand, by kind, each with its paper. Beyond the limits of whoever books, it can be sent to a second person. */

import type { giveCredit } from '@dargah/api/admin/by-hand.ts';
import type { getInvoiceSettings } from '@dargah/api/admin/invoicing.ts';
import {
  CORRECTION_REASONS,
  type CorrectionReason,
  CREDIT_KINDS,
  type CreditKind,
  MAY_BOOK,
} from '@dargah/core/hand-kinds.ts';
import { useState } from 'react';
import { Refused } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { DateField } from '../../parts/date-field.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { AreaField, Form, NumberField, SelectField, TextField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useMe } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { useHandTexts } from '../by-hand/texts.ts';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { creditBodyOf, EMPTY_CREDIT, isWhole, newPaper, type Typed } from './credit-body.ts';

const STALE = [
  'GET /api/admin/accounts/:id/wallet',
  'GET /api/admin/accounts/:id/transfers',
  'GET /api/admin/transfers',
  'GET /api/admin/credit/entries',
  'GET /api/admin/approvals',
  'GET /api/admin/payments',
  'GET /api/admin/audit',
];

export function Credit({ id }: { id: string }) {
  const texts = useHandTexts();
  const mayGive = useStaffMay<typeof giveCredit>(['owner', 'finance', 'support']);
  if (mayGive) return <CreditForm id={id} />;
  return (
    <div className="pad stack gap-s">
      <h2>{texts.credit}</h2>
      <WhoMay<typeof giveCredit> roles={['owner', 'finance', 'support']} />
    </div>
  );
}

function CreditForm({ id }: { id: string }) {
  const texts = useHandTexts();
  const toast = useToast();
  const kinds = useMyKinds();
  const [kind, setKind] = useState<CreditKind>('correction');
  const [typed, setTyped] = useState(EMPTY_CREDIT);
  // The id stays the same until the entry is confirmed: pressing again after a lost answer books nothing twice.
  const [paper, setPaper] = useState(newPaper);
  const change = (next: Partial<Typed>) => setTyped((before) => ({ ...before, ...next }));
  const give = useChange<typeof giveCredit>('POST /api/admin/accounts/:id/credit', {
    quiet: true,
    stale: STALE,
    done({ state }) {
      setTyped(EMPTY_CREDIT);
      setPaper(newPaper());
      toast({ text: state === 'booked' ? texts.booked : texts.asked });
    },
  });
  const send = (ask?: string) =>
    give.mutate({
      params: { id },
      body: { ...creditBodyOf(kind, typed, paper), ...(ask === undefined ? {} : { ask }) },
    });
  const isBeyond = give.error instanceof Refused && give.error.code === 'credit_limit_exceeded';
  return (
    <Form className="pad stack gap-m" label={texts.credit} onSubmit={() => send()}>
      <h2>{texts.credit}</h2>
      <SelectField
        label={texts.kind}
        hint={texts.hints[kind]}
        value={kind}
        onChange={(next) => setKind(next as CreditKind)}
        options={kinds.map((one) => [one, texts.kinds[one]] as const)}
      />
      <Fields kind={kind} typed={typed} change={change} error={give.error} />
      <div className="row">
        <button type="submit" className="btn" disabled={!isWhole(kind, typed) || give.isPending}>
          {texts.book}
        </button>
      </div>
      {isBeyond && <Ask text={give.error?.message ?? ''} onAsk={send} onClose={() => give.reset()} />}
    </Form>
  );
}

/** Kinds that my role may book. */
function useMyKinds(): CreditKind[] {
  const role = useMe().staff?.role;
  return CREDIT_KINDS.filter((kind) => MAY_BOOK[kind].some((one) => one === role));
}

interface FieldsProps {
  kind: CreditKind;
  typed: Typed;
  change(next: Partial<Typed>): void;
  error: Error | null;
}

function Fields({ kind, typed, change, error }: FieldsProps) {
  const texts = useHandTexts();
  const shared = useShared();
  const known = ['amount', 'number', 'request_id', 'dated_on', 'last_day', 'bank'];
  const isKnown = known.some((field) => errorAt(error, field) !== undefined);
  return (
    <>
      <NumberField
        label={texts.amount}
        unit={shared.toman}
        name="amount"
        signed={kind === 'correction'}
        value={typed.amount}
        onChange={(amount) => change({ amount })}
        error={errorAt(error, 'amount')}
      />
      {kind === 'receipt' && <OfReceipt typed={typed} change={change} error={error} />}
      {kind === 'correction' && (
        <SelectField
          label={texts.reason}
          value={typed.reason}
          onChange={(reason) => change({ reason: reason as CorrectionReason })}
          options={CORRECTION_REASONS.map((one) => [one, texts.reasons[one]] as const)}
        />
      )}
      {kind === 'gift' && <OfGift typed={typed} change={change} error={error} />}
      {(kind === 'request-refund' || kind === 'correction') && (
        <TextField
          label={texts.request}
          hint={kind === 'correction' ? texts.requestHint : undefined}
          name="request"
          dir="ltr"
          value={typed.request}
          onChange={(request) => change({ request })}
          error={errorAt(error, 'request_id')}
        />
      )}
      {kind !== 'receipt' && (
        <>
          <TextField
            label={texts.ticket}
            name="ticket"
            dir="ltr"
            value={typed.ticket}
            onChange={(ticket) => change({ ticket })}
          />
          <TextField
            label={texts.publicNote}
            hint={texts.publicNoteHint}
            name="public_note"
            dir="auto"
            maxLength={200}
            value={typed.publicNote}
            onChange={(publicNote) => change({ publicNote })}
          />
        </>
      )}
      <TextField
        label={texts.note}
        hint={texts.noteHint}
        name="reason"
        dir="auto"
        value={typed.note}
        onChange={(note) => change({ note })}
        error={isKnown ? undefined : error?.message}
      />
    </>
  );
}

function OfReceipt({ typed, change, error }: Omit<FieldsProps, 'kind'>) {
  const texts = useHandTexts();
  const banks = useRead<typeof getInvoiceSettings>('GET /api/admin/invoice-settings', {}).data?.bank_accounts ?? [];
  return (
    <>
      <TextField
        label={texts.number}
        hint={texts.numberHint}
        name="number"
        dir="ltr"
        value={typed.number}
        onChange={(number) => change({ number })}
        error={errorAt(error, 'number')}
      />
      <div className="columns">
        <DateField
          label={texts.datedOn}
          empty={texts.noDay}
          value={typed.datedOn}
          onChange={(datedOn) => change({ datedOn })}
          error={errorAt(error, 'dated_on')}
        />
        <TextField
          label={texts.payer}
          name="payer"
          dir="auto"
          value={typed.payer}
          onChange={(payer) => change({ payer })}
        />
      </div>
      {banks.length > 1 && (
        <SelectField
          label={texts.bank}
          value={typed.bank ?? banks[0]?.id ?? ''}
          onChange={(bank) => change({ bank })}
          options={banks.map(({ id, name }) => [id, name] as const)}
        />
      )}
    </>
  );
}

function OfGift({ typed, change, error }: Omit<FieldsProps, 'kind'>) {
  const texts = useHandTexts();
  return (
    <div className="columns">
      <TextField
        label={texts.campaign}
        name="campaign"
        dir="auto"
        value={typed.campaign}
        onChange={(campaign) => change({ campaign })}
      />
      <DateField
        label={texts.lastDay}
        hint={texts.lastDayHint}
        empty={texts.noDay}
        value={typed.lastDay}
        onChange={(lastDay) => change({ lastDay })}
        error={errorAt(error, 'last_day')}
      />
    </div>
  );
}

function Ask({ text, onAsk, onClose }: { text: string; onAsk(why: string): void; onClose(): void }) {
  const texts = useHandTexts();
  const [why, setWhy] = useState('');
  return (
    <Dialog
      title={texts.askTitle}
      onClose={onClose}
      footer={
        <DialogActs disabled={why.trim().length < 3} onAct={() => onAsk(why.trim())} onClose={onClose}>
          {texts.ask}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <p>{text}</p>
        <p className="mid">{texts.askText}</p>
        <AreaField label={texts.askWhy} name="ask" dir="auto" value={why} onChange={setWhy} />
      </div>
    </Dialog>
  );
}
