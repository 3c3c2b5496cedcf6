/** Credit by hand and its approval: `/api/admin/accounts/{id}/credit`, `/api/admin/credit/…`, `/api/admin/approvals`. */

import * as routes from '@dargah/api/admin/by-hand.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { BodyOf } from '@dargah/api/describe-route.ts';
import { type CreditKind, MAY_BOOK } from '@dargah/core/hand-kinds.ts';
import { HOME_OFFSET_MS } from '@dargah/core/home-zone.ts';
import {
  type Approval,
  type CreditByHand,
  type CreditLimits,
  type Given,
  type HandAct,
  type HandEntry,
  handAct,
  type LimitPair,
} from '../../accounting/index.ts';
import type { AccountService } from '../../accounts/index.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { type Money, money, parseToman, toTomanText } from '../../core/money.ts';
import { reasons } from '../../core/reasons.ts';
import type { Books } from '../../ledger/index.ts';
import { type Payments, plainNumber } from '../../payments/index.ts';
import { httpReasons } from '../reasons.ts';
import type { StaffPrincipal } from '../routes/guards.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';

interface ByHandServices {
  accounts: AccountService;
  ledger: Pick<Books, 'wallet'>;
  hand: CreditByHand;
  payments: Pick<Payments, 'orders'>;
  clock: Clock;
}

export function byHand(register: Register, services: ByHandServices): void {
  const { accounts, ledger, hand } = services;
  register(routes.giveCredit, async ({ params, body, actor, who }) => {
    requireMay(who, body.kind);
    const account = await accounts.get(params.id);
    const act = actOfBody(account.id, body, services.clock.now());
    const given = await hand.give(act, actor, body.ask);
    const { posted } = await ledger.wallet(account.id);
    return bookedView(body.kind, act, given, posted);
  });
  register(routes.listHandEntries, async ({ query }) => {
    const { account_id: accountId, actor, kind, ...place } = query;
    const { items, next } = await hand.entries({ accountId, actor, kind }, place);
    return page(items.map(entryView), next);
  });
  register(routes.getCreditLimits, async () => limitsView(await hand.limits(), await hand.dayNotice()));
  register(routes.setCreditLimits, async ({ body, actor, who }) => {
    requirePerson(who);
    const before = await hand.limits();
    const role = (name: 'owner' | 'finance' | 'support') => ({
      credit: givenLimits(body[name].credit, `${name}.credit`, before[name].credit.account),
      receipt: givenLimits(body[name].receipt, `${name}.receipt`, before[name].receipt.account),
    });
    await hand.setLimits({ owner: role('owner'), finance: role('finance'), support: role('support') }, actor);
    if (body.day_notice !== undefined) {
      const amount = parseToman(body.day_notice);
      if (amount === undefined || amount < 0n)
        throw invalidRequest('day_notice', reasons.mustBe('day_notice', expected.tomanFromZero));
      await hand.setDayNotice(amount, actor);
    }
    return limitsView(await hand.limits(), await hand.dayNotice());
  });
  approvalRoutes(register, services);
}

function approvalRoutes(register: Register, services: ByHandServices): void {
  const { hand } = services;
  register(routes.listApprovals, async ({ query, who, actor }) => {
    const { state, account_id: accountId, ...place } = query;
    const askedBy = who.role === 'support' ? actor : undefined;
    const { items, next } = await hand.approvals({ state, accountId, askedBy }, place);
    return page(items.map(approvalView), next);
  });
  register(routes.askApproval, async ({ body, actor }) => {
    return approvalView(await hand.ask(await actOnOrder(services, body), actor, body.reason));
  });
  register(routes.decideApproval, async ({ params, body, actor, who }) => {
    requirePerson(who);
    const note = body.note ?? null;
    const decided = body.approve
      ? await hand.approve(params.id, actor, note)
      : await hand.decline(params.id, actor, 'refused', note);
    return approvalView(decided);
  });
  register(routes.withdrawApproval, async ({ params, actor }) =>
    approvalView(await hand.decline(params.id, actor, 'withdrawn', null)),
  );
}

/** Only a person can give a fresh proof; programs cannot. */
export function requirePerson({ personId }: StaffPrincipal): void {
  if (personId === null) throw new GatewayError('forbidden', { instead: httpReasons.notForTokens });
}

function requireMay({ role }: StaffPrincipal, kind: CreditKind): void {
  if (!MAY_BOOK[kind].includes(role)) throw new GatewayError('forbidden');
}

type Body = BodyOf<typeof routes.giveCredit>;

function actOfBody(accountId: string, body: Body, nowMs: number): HandAct {
  const { kind } = body;
  const amount = parseToman(body.amount);
  if (amount === undefined || amount === 0n || (amount < 0n && kind !== 'correction'))
    throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
  const number = plainNumber(body.number);
  if (number === null) throw invalidRequest('number', reasons.required('number'));
  if (kind !== 'receipt' && (body.note ?? '').trim().length < MIN_REASON_CHARS)
    throw invalidRequest('note', httpReasons.reasonMissing);
  for (const field of NEEDED[kind]) if (body[field] === undefined) throw invalidRequest(field, reasons.required(field));
  for (const field of ONLY_OF[kind])
    if (body[field] !== undefined) throw invalidRequest(field, httpReasons.notOfThisKind(field));
  const days = daysOf(body, nowMs);
  return handAct({
    kind,
    id: kind === 'receipt' ? `receipt:${number}` : `hand:${number}`,
    accountId,
    amount,
    number,
    note: body.note?.trim() ?? null,
    publicNote: body.public_note?.trim() ?? null,
    requestId: body.request_id ?? null,
    ticketId: body.ticket_id ?? null,
    reason: body.reason ?? null,
    campaign: body.campaign ?? null,
    bank: body.bank ?? null,
    ...days,
    payer: body.payer ?? null,
  });
}

/** Reads days of Tehran: a gift must not end before it is given, and a receipt cannot be dated tomorrow. */
function daysOf(body: Body, nowMs: number): Pick<HandAct, 'lastDay' | 'datedOn'> {
  const day = (atMs: number) => new Date(atMs + HOME_OFFSET_MS).toISOString().slice(0, 10);
  const given = (field: 'last_day' | 'dated_on') => {
    const at = timeInput(body[field], field);
    return at === undefined ? null : day(at);
  };
  const [lastDay, datedOn] = [given('last_day'), given('dated_on')];
  if (lastDay !== null && lastDay < day(nowMs)) throw invalidRequest('last_day', httpReasons.dayIsOver);
  if (datedOn !== null && datedOn > day(nowMs)) throw invalidRequest('dated_on', httpReasons.dayToCome);
  return { lastDay, datedOn };
}

const MIN_REASON_CHARS = 3;
type Field =
  | 'reason'
  | 'request_id'
  | 'ticket_id'
  | 'campaign'
  | 'last_day'
  | 'bank'
  | 'dated_on'
  | 'payer'
  | 'public_note';
const NEEDED: Readonly<Record<CreditKind, readonly Field[]>> = {
  receipt: ['dated_on', 'payer'],
  correction: ['reason'],
  gift: ['campaign'],
  'request-refund': ['request_id'],
  'bad-debt': [],
};
const OF_RECEIPTS = ['bank', 'dated_on', 'payer'] as const;
const OF_GIFTS = ['campaign', 'last_day'] as const;
/** Fields that a kind does not have are refused: a field that was silently dropped would be lost. */
const ONLY_OF: Readonly<Record<CreditKind, readonly Field[]>> = {
  receipt: ['reason', 'request_id', 'public_note', ...OF_GIFTS],
  correction: [...OF_RECEIPTS, ...OF_GIFTS],
  gift: ['reason', 'request_id', ...OF_RECEIPTS],
  'request-refund': ['reason', ...OF_RECEIPTS, ...OF_GIFTS],
  'bad-debt': ['reason', 'request_id', ...OF_RECEIPTS, ...OF_GIFTS],
};

async function actOnOrder({ payments }: ByHandServices, body: BodyOf<typeof routes.askApproval>): Promise<HandAct> {
  const { kind, reason, bank } = body;
  const order = await payments.orders.get(body.order_id);
  const common = { kind, accountId: order.accountId, orderId: order.id, bank: bank ?? null, note: reason };
  if (kind === 'confirmed-transfer') {
    const number = plainNumber(body.reference);
    if (number === null) throw invalidRequest('reference', reasons.required('reference'));
    return confirmAct({ ...common, kind }, order.amount, number);
  }
  const left = money(order.amount - order.takenInParts);
  const amount = body.amount === undefined ? left : parseToman(body.amount);
  if (amount === undefined || amount <= 0n)
    throw invalidRequest('amount', reasons.mustBe('amount', expected.tomanAboveZero));
  return refundAct({ ...common, kind }, amount);
}

type OfOrder<K> = Pick<HandAct, 'accountId' | 'bank' | 'note'> & { kind: K; orderId: string };

export function confirmAct(of: OfOrder<'confirmed-transfer'>, amount: Money, number: string): HandAct {
  return handAct({ ...of, id: `confirm:${of.orderId}`, amount, number });
}

export function refundAct(of: OfOrder<'order-refund'>, amount: Money): HandAct {
  return handAct({ ...of, id: `order-refund:${of.orderId}`, amount: money(-amount) });
}

interface GivenLimits {
  act: string | number;
  day: string | number;
  account?: string | number | null;
}

/** `before` is the account's present limit, where the body does not say. */
export function givenLimits(limits: GivenLimits, param: string, before: Money | null): LimitPair {
  const [act, day] = [parseToman(limits.act), parseToman(limits.day)];
  const account = limits.account == null ? (limits.account === null ? null : before) : parseToman(limits.account);
  if (act === undefined || day === undefined || account === undefined || (account !== null && account < 0n))
    throw invalidRequest(param, reasons.mustBe(param, expected.tomanFromZero));
  return { act, day, account };
}

function pairView({ act, day, account }: LimitPair) {
  return { act: toTomanText(act), day: toTomanText(day), account: account === null ? null : toTomanText(account) };
}

function limitsView(limits: CreditLimits, dayNotice: Money) {
  const role = (name: keyof CreditLimits) => ({
    credit: pairView(limits[name].credit),
    receipt: pairView(limits[name].receipt),
  });
  return {
    object: 'credit_limits' as const,
    owner: role('owner'),
    finance: role('finance'),
    support: role('support'),
    day_notice: toTomanText(dayNotice),
  };
}

function bookedView(kind: CreditKind, act: HandAct, given: Given, balance: Money) {
  const isBooked = given.state === 'booked';
  return {
    object: 'credit' as const,
    state: given.state,
    kind,
    account_id: act.accountId,
    amount: toTomanText(act.amount),
    number: act.number,
    transfer_id: isBooked ? given.transferId : null,
    order_id: isBooked ? given.orderId : null,
    balance: toTomanText(balance),
    approval: isBooked ? null : approvalView(given.approval),
  };
}

function approvalView(approval: Approval) {
  const { act } = approval;
  return {
    object: 'approval' as const,
    id: approval.id,
    state: approval.state,
    kind: act.kind,
    account_id: act.accountId,
    amount: toTomanText(act.amount),
    number: act.number,
    note: act.note,
    public_note: act.publicNote,
    order_id: act.orderId,
    balance_before: toTomanText(approval.balanceBefore),
    reason: approval.reason,
    asked_by: approval.askedBy,
    asked_by_name: approval.askedByName,
    decided_by: approval.decidedBy,
    decided_by_name: approval.decidedByName,
    decided_at: approval.decidedAt?.toISOString() ?? null,
    decision_note: approval.decisionNote,
    alone: approval.alone,
    expires_at: approval.expiresAt.toISOString(),
    created_at: approval.createdAt.toISOString(),
  };
}

function entryView(entry: HandEntry) {
  return {
    object: 'hand_entry' as const,
    id: entry.id,
    kind: entry.kind,
    account_id: entry.accountId,
    amount: toTomanText(entry.amount),
    number: entry.number,
    reason: entry.reason,
    note: entry.note,
    last_day: entry.lastDay,
    ended_at: entry.endedAt?.toISOString() ?? null,
    actor: entry.actor,
    actor_name: entry.actorName,
    approved_by: entry.approvedBy,
    approved_by_name: entry.approvedByName,
    alone: entry.alone,
    created_at: entry.createdAt.toISOString(),
  };
}
