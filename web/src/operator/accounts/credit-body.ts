/** What was typed for credit by hand, and which of it is sent: each kind has its own fields. */
import type { giveCredit } from '@dargah/api/admin/by-hand.ts';
import type { CorrectionReason, CreditKind } from '@dargah/core/hand-kinds.ts';
import type { useChange } from '../../api/read.ts';

/** What was typed; each kind uses the fields that it has. */
export interface Typed {
  amount: string | null;
  number: string;
  bank: string | undefined;
  datedOn: string | null;
  payer: string;
  reason: CorrectionReason;
  campaign: string;
  lastDay: string | null;
  request: string;
  ticket: string;
  note: string;
  publicNote: string;
}

export const EMPTY_CREDIT: Typed = {
  amount: null,
  number: '',
  bank: undefined,
  datedOn: null,
  payer: '',
  reason: 'wrong-charge',
  campaign: '',
  lastDay: null,
  request: '',
  ticket: '',
  note: '',
  publicNote: '',
};

export function isWhole(kind: CreditKind, typed: Typed): boolean {
  if (typed.amount === null) return false;
  if (kind === 'receipt') return typed.number.trim() !== '' && typed.datedOn !== null && typed.payer.trim() !== '';
  if (typed.note.trim().length < 3) return false;
  if (kind === 'gift') return typed.campaign.trim() !== '';
  return kind !== 'request-refund' || typed.request.trim() !== '';
}

export type Body = Parameters<ReturnType<typeof useChange<typeof giveCredit>>['mutate']>[0]['body'];

export function creditBodyOf(kind: CreditKind, typed: Typed, paper: string): Body {
  const { bank, reason, datedOn, lastDay } = typed;
  const common = { kind, amount: typed.amount ?? '0', ...said('note', typed.note) };
  if (kind === 'receipt')
    return {
      ...common,
      number: typed.number.trim(),
      ...said('payer', typed.payer),
      ...(datedOn === null ? {} : { dated_on: datedOn }),
      ...(bank === undefined ? {} : { bank }),
    };
  const others = {
    ...common,
    number: paper,
    ...said('public_note', typed.publicNote),
    ...said('ticket_id', typed.ticket),
  };
  if (kind === 'gift')
    return { ...others, ...said('campaign', typed.campaign), ...(lastDay === null ? {} : { last_day: lastDay }) };
  if (kind === 'bad-debt') return others;
  const request = said('request_id', typed.request);
  return kind === 'correction' ? { ...others, ...request, reason } : { ...others, ...request };
}

/** Empty fields are not sent. */
function said<N extends string>(name: N, text: string): Partial<Record<N, string>> {
  return text.trim() === '' ? {} : ({ [name]: text.trim() } as Record<N, string>);
}

export function newPaper(): string {
  return `console-${crypto.randomUUID()}`;
}
