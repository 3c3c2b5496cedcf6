/** Books a paper that staff holds: each kind has its own fields. */

import type { bookDocument } from '@dargah/api/admin/documents.ts';
import { useState } from 'react';
import type { Input } from '../../../api/call.ts';
import { errorAt, useChange } from '../../../api/read.ts';
import { DateField } from '../../../parts/date-field.tsx';
import { Dialog, DialogActs } from '../../../parts/dialog.tsx';
import { NumberField, SelectField, TextField } from '../../../parts/form.tsx';
import { useToast } from '../../../parts/toast.tsx';
import { useShared } from '../../../texts/shared.ts';
import { useBanks, useSettlingGateways } from '../settlement/opening.tsx';
import { DOCUMENT_STALE } from './clear.tsx';
import { useDocumentTexts } from './texts.ts';

type Body = Input<typeof bookDocument>['body'];
type Kind = Body['kind'];
type Extra =
  | 'gateway'
  | 'bank'
  | 'fee'
  | 'vat'
  | 'account_id'
  | 'provider'
  | 'currency'
  | 'units'
  | 'difference'
  | 'set_off'
  | 'as';

const FIELDS: Readonly<Record<Kind, readonly Extra[]>> = {
  settlement: ['gateway', 'bank', 'fee', 'vat'],
  unmatched: ['bank'],
  matched: ['account_id', 'vat'],
  documented: ['as', 'bank'],
  bill: ['provider'],
  currency: ['currency', 'units', 'bank'],
  'bill-payment': ['provider', 'bank', 'currency', 'units', 'fee', 'difference'],
  'tax-payment': ['bank', 'set_off'],
  'owner-money': ['bank'],
};
const KINDS = Object.keys(FIELDS) as Kind[];
const MONEY: ReadonlySet<Extra> = new Set(['fee', 'vat', 'difference', 'set_off']);
const SIGNED: ReadonlySet<string> = new Set(['bill', 'owner-money']);

export function DocumentForm({ onClose }: { onClose(): void }) {
  const texts = useDocumentTexts();
  const shared = useShared();
  const toast = useToast();
  const [kind, setKind] = useState<Kind>('unmatched');
  const [id, setId] = useState('');
  const [number, setNumber] = useState('');
  const [amount, setAmount] = useState<string | null>(null);
  const [datedOn, setDatedOn] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const [extra, setExtra] = useState<Partial<Record<Extra, string>>>({});
  const book = useChange<typeof bookDocument>('POST /api/admin/documents', {
    quiet: true,
    stale: DOCUMENT_STALE,
    done() {
      toast({ text: texts.added });
      onClose();
    },
  });
  const send = () => {
    if (amount === null) return;
    const given = Object.fromEntries(
      FIELDS[kind].flatMap((name) => ((extra[name] ?? '').trim() === '' ? [] : [[name, extra[name]?.trim()]])),
    );
    const optional = {
      ...(number.trim() === '' ? {} : { number: number.trim() }),
      ...(datedOn === null ? {} : { dated_on: datedOn }),
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    };
    book.mutate({ body: { id: id.trim(), kind, amount, ...given, ...optional } });
  };
  return (
    <Dialog
      wide
      title={texts.addTitle}
      onClose={onClose}
      footer={
        <DialogActs disabled={id.trim() === '' || amount === null || book.isPending} onAct={send} onClose={onClose}>
          {texts.book}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <SelectField
          label={texts.kind}
          hint={texts.hints[kind]}
          value={kind}
          onChange={(next) => setKind(next as Kind)}
          options={KINDS.map((one) => [one, texts.kinds[one] ?? one] as const)}
        />
        <TextField
          label={texts.id}
          hint={texts.idHint}
          dir="ltr"
          value={id}
          onChange={setId}
          error={errorAt(book.error, 'id')}
        />
        <NumberField
          label={texts.amount}
          unit={shared.toman}
          name="amount"
          signed={SIGNED.has(kind)}
          value={amount}
          onChange={setAmount}
          error={
            errorAt(book.error, 'amount') ?? (errorAt(book.error, 'id') === undefined ? book.error?.message : undefined)
          }
        />
        {FIELDS[kind].map((name) => (
          <ExtraField
            key={`${kind}-${name}`}
            name={name}
            value={extra[name] ?? ''}
            onChange={(value) => setExtra((before) => ({ ...before, [name]: value }))}
          />
        ))}
        <div className="columns">
          <TextField label={texts.number} dir="ltr" value={number} onChange={setNumber} />
          <DateField label={texts.dated} value={datedOn} onChange={setDatedOn} empty={texts.chooseDay} />
        </div>
        <TextField label={texts.fields.note} dir="auto" value={note} onChange={setNote} />
      </div>
    </Dialog>
  );
}

function ExtraField({ name, value, onChange }: { name: Extra; value: string; onChange(next: string): void }) {
  const texts = useDocumentTexts();
  const shared = useShared();
  const banks = useBanks();
  const gateways = useSettlingGateways();
  const label = texts.fields[name];
  if (name === 'bank')
    return banks.length > 1 ? (
      <SelectField
        label={label}
        value={value === '' ? (banks[0]?.[0] ?? '') : value}
        onChange={onChange}
        options={banks}
      />
    ) : null;
  if (name === 'gateway')
    return <SelectField label={label} value={value} onChange={onChange} options={[['', '—'] as const, ...gateways]} />;
  if (name === 'as')
    return (
      <SelectField
        label={label}
        value={value}
        onChange={onChange}
        options={[
          ['', texts.asOptions.bank],
          ['gift', texts.asOptions.gift],
          ['correction', texts.asOptions.correction],
        ]}
      />
    );
  if (MONEY.has(name))
    return (
      <NumberField
        label={label}
        unit={shared.toman}
        name={name}
        signed={name === 'difference'}
        value={value === '' ? null : value}
        onChange={(next) => onChange(next ?? '')}
      />
    );
  return <TextField label={label} dir="ltr" value={value} onChange={onChange} />;
}
