/** Credit by hand: kinds, ceilings, and a second person beyond them. Everything that staff books by hand goes through here. */

import type { AuditLogAct } from '@dargah/core/admin-acts.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import { type Money, money, toTomanText } from '../core/money.ts';
import { type Books, chartInUse, readWallet } from '../ledger/index.ts';
import type { Payments } from '../payments/index.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Page, PageRequest } from '../platform/db/pages.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import type { Approval } from './approval-rows.ts';
import * as approvals from './approvals.ts';
import { type CreditLimits, changeCreditLimits, readCreditLimits, takeOfLimits } from './credit-limits.ts';
import { takeFoundMoney } from './found-later.ts';
import { documentOf, type HandAct } from './hand-act.ts';
import {
  changeDayNotice,
  type HandFilter,
  insertHandEntry,
  isNumberUsed,
  listHandEntries,
  readDayNotice,
} from './hand-entries.ts';
import { handReasons } from './hand-reasons.ts';
import type { HandEntry } from './hand-rows.ts';

/** What became of an act: it is booked, now or before, or waits for a second person. */
export type Given =
  | { state: 'booked'; transferId: string; orderId: string | null }
  | { state: 'waiting'; approval: Approval };

interface BookedElsewhere {
  id: string;
  kind: 'gift-codes' | 'matched';
  accountId: string | null;
  amount: Money;
}

export interface CreditByHand {
  /**
   * `ask` is the reason for which an act beyond the limits waits for a second person; without it such an act is
   * refused.
   */
  give(act: HandAct, actor: string, ask?: string): Promise<Given>;
  /** Waits for a second person even where the act is within the limits. */
  ask(act: HandAct, actor: string, reason: string): Promise<Approval>;
  /**
   * Counts what another part of the service books by hand against the limits of the person who acts, in the same
   * transaction.
   */
  count(tx: Queryable, actor: string, booked: BookedElsewhere): Promise<void>;
  approve(id: string, by: string, note: string | null): Promise<Approval>;
  decline(id: string, by: string, as: 'refused' | 'withdrawn', note: string | null): Promise<Approval>;
  approvals(filter: approvals.ApprovalFilter, page: PageRequest): Promise<Page<Approval>>;
  entries(filter: HandFilter, page: PageRequest): Promise<Page<HandEntry>>;
  limits(): Promise<CreditLimits>;
  setLimits(limits: CreditLimits, actor: string): Promise<void>;
  /** The sum of a day from which owners are notified of it. */
  dayNotice(): Promise<Money>;
  setDayNotice(amount: Money, actor: string): Promise<void>;
}

interface CreditByHandOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  ledger: Books;
  payments: Pick<Payments, 'receipts' | 'refunds' | 'orders'>;
  settings: SettingStore;
  /** What can be taken from the wallet now: its balance less what running requests hold. */
  availableOf(accountId: string): Promise<Money>;
  /** Tells the people who can approve that something waits for them, in the same transaction. */
  onAsked(tx: Queryable, approval: { id: string; amount: Money; reason: string }): Promise<void>;
}

/** Called in the transaction of a new act, with the id of its transfer. */
type Beside = (tx: Queryable, transferId: string) => Promise<void>;

interface By {
  createdBy: string;
  approvedBy?: string | undefined;
}

const TRAIL: Partial<Record<HandAct['kind'], AuditLogAct>> = {
  receipt: 'credit.top-up',
  correction: 'credit.adjustment',
  gift: 'credit.gift',
  'request-refund': 'credit.refund',
  'bad-debt': 'credit.bad-debt',
};

export function createCreditByHand(options: CreditByHandOptions): CreditByHand {
  const { db, clock } = options;
  const record = createChangeRecorder(options, 'wallet');
  return {
    async give(act, actor, ask) {
      const nowMs = clock.now();
      const waiting = await approvals.waitingFor(db, act.id, nowMs);
      if (waiting) return { state: 'waiting', approval: requireSame(waiting, act, actor) };
      try {
        const done = await carryOut(options, act, { createdBy: actor }, async (tx, transferId) => {
          if (act.kind === 'bad-debt') throw alwaysApproved();
          const counted = await takeOfLimits(tx, actor, { ...act, nowMs });
          if (await isNumberUsed(tx, actor, act.number))
            throw new GatewayError('conflict', { param: 'number', reason: handReasons.numberUsed });
          await insertHandEntry(tx, { ...act, id: transferId, actor, counted, nowMs });
          await recordAct(record, tx, act, actor, transferId);
        });
        return { state: 'booked', ...done };
      } catch (error) {
        if (ask === undefined || !mayAsk(error, actor)) throw error;
        return { state: 'waiting', approval: await askFor(options, record, act, actor, ask) };
      }
    },
    ask: (act, actor, reason) => askFor(options, record, act, actor, reason),
    async count(tx, actor, booked) {
      const nowMs = clock.now();
      const counted = await takeOfLimits(tx, actor, { ...booked, nowMs });
      await insertHandEntry(tx, { ...booked, actor, counted, nowMs });
    },
    async approve(id, by, note) {
      const { act, askedBy } = await approvals.findApproval(db, id, clock.now());
      const nowMs = clock.now();
      let isDecided = false;
      await carryOut(options, act, { createdBy: askedBy, approvedBy: by }, async (tx, transferId) => {
        const { alone } = await approvals.approveIn(tx, { id, by, nowMs, note });
        const approval = { id, by, alone };
        await insertHandEntry(tx, { ...act, id: transferId, actor: askedBy, counted: money(0n), nowMs, approval });
        await recordAct(record, tx, act, askedBy, transferId);
        await record(tx, by, 'approval.approve', id, { account: act.accountId, kind: act.kind, alone });
        isDecided = true;
      });
      if (!isDecided) throw new GatewayError('conflict', { reason: handReasons.bookedBefore });
      return approvals.findApproval(db, id, nowMs);
    },
    async decline(id, by, as, note) {
      const nowMs = clock.now();
      const { act } = await approvals.findApproval(db, id, nowMs);
      await db.transaction(async (tx) => {
        await approvals.declineIn(tx, { id, by, nowMs, note }, as);
        const done = as === 'refused' ? 'approval.refuse' : 'approval.withdraw';
        await record(tx, by, done, id, { account: act.accountId, kind: act.kind });
      });
      return approvals.findApproval(db, id, nowMs);
    },
    approvals: (filter, page) => approvals.listApprovals(db, filter, page, clock.now()),
    entries: (filter, page) => listHandEntries(db, filter, page),
    limits: () => readCreditLimits(db),
    setLimits: (limits, actor) => changeCreditLimits(options.settings, limits, actor),
    dayNotice: () => readDayNotice(db),
    setDayNotice: (amount, actor) => changeDayNotice(options.settings, amount, actor),
  };
}

/** Books the act in one transaction with `beside`, which may refuse it; an act that was booked before changes nothing. */
async function carryOut(
  options: CreditByHandOptions,
  act: HandAct,
  by: By,
  beside: Beside,
): Promise<{ transferId: string; orderId: string | null }> {
  const { payments, ledger } = options;
  switch (act.kind) {
    case 'receipt': {
      const { accountId, amount } = act;
      const receipt = { accountId, amount, number: act.number ?? '', bank: act.bank ?? undefined };
      const note = [act.payer, act.note].filter((text) => text !== null).join(' · ') || undefined;
      const paper = { ...by, datedOn: act.datedOn ?? undefined, ...(note === undefined ? {} : { note }) };
      const { order } = await payments.receipts.take(receipt, paper, async (tx, { id }) => {
        await beside(tx, `topup:${id}`);
        await takeFoundMoney(ledger, tx, id, by.createdBy);
      });
      return { transferId: `topup:${order.id}`, orderId: order.id };
    }
    case 'confirmed-transfer': {
      const orderId = act.orderId ?? '';
      const alongside = async (tx: Queryable) => {
        await beside(tx, `topup:${orderId}`);
        await takeFoundMoney(ledger, tx, orderId, by.createdBy);
      };
      await payments.orders.confirmTransfer(orderId, act.number ?? '', by.createdBy, act.bank ?? undefined, alongside);
      return { transferId: `topup:${orderId}`, orderId };
    }
    case 'order-refund': {
      const orderId = act.orderId ?? '';
      const input = { reason: act.note ?? '', byHand: true, amount: money(-act.amount), bank: act.bank ?? undefined };
      let transferId = '';
      await payments.refunds.refund(orderId, input, by.createdBy, (tx, { transfer }) => {
        transferId = transfer;
        return beside(tx, transfer);
      });
      return { transferId, orderId };
    }
    default: {
      const { kind } = act;
      // Read before the transaction: the embedded database has one connection, which the transaction holds.
      const available = act.amount < 0n ? await options.availableOf(act.accountId) : undefined;
      await ledger.book(documentOf({ ...act, kind }, by), async (tx) => {
        await requirePossible(tx, act, available);
        await beside(tx, act.id);
      });
      return { transferId: act.id, orderId: null };
    }
  }
}

/** The entry is already written in `tx`, so the balance that is read here includes it. */
async function requirePossible(tx: Queryable, act: HandAct, available: Money | undefined): Promise<void> {
  const { kind, amount, accountId } = act;
  // The version before knows neither kind, and would later move what was booked under it to another book.
  if ((kind === 'gift' || kind === 'bad-debt') && !(await chartInUse(tx)))
    throw new GatewayError('conflict', { reason: handReasons.olderVersionRuns });
  const { posted } = await readWallet(tx, accountId);
  if (kind === 'bad-debt' && posted > 0n)
    throw new GatewayError('conflict', { param: 'amount', reason: handReasons.notOwed });
  if (available === undefined || (posted >= 0n && available + amount >= 0n)) return;
  const reason = handReasons.notAvailable(toTomanText(available));
  throw new GatewayError('conflict', { param: 'amount', reason });
}

/**
 * Customers read the audit log of their account, so the entry holds only what they may know. Orders write their own.
 */
async function recordAct(record: RecordChange, tx: Queryable, act: HandAct, actor: string, transfer: string) {
  const done = TRAIL[act.kind];
  if (done === undefined) return;
  const note = act.publicNote === null ? {} : { note: act.publicNote };
  await record(tx, actor, done, act.accountId, { transfer, amount: toTomanText(act.amount), ...note });
}

async function askFor(
  options: CreditByHandOptions,
  record: RecordChange,
  act: HandAct,
  actor: string,
  reason: string,
): Promise<Approval> {
  const { db, clock, randomBytes } = options;
  const nowMs = clock.now();
  const id = await db.transaction(async (tx) => {
    const { posted } = await readWallet(tx, act.accountId);
    const asked = { act, balanceBefore: posted, reason, askedBy: actor };
    const made = await approvals.insertApproval(tx, asked, { nowMs, randomBytes });
    if (made === undefined) throw new GatewayError('conflict', { reason: handReasons.waits });
    const detail = { account: act.accountId, kind: act.kind, amount: toTomanText(act.amount) };
    await record(tx, actor, 'approval.ask', made, detail);
    await options.onAsked(tx, { id: made, amount: act.amount, reason });
    return made;
  });
  return approvals.findApproval(db, id, nowMs);
}

function requireSame(waiting: Approval, act: HandAct, actor: string): Approval {
  const isSame = (Object.keys(act) as (keyof HandAct)[]).every((name) => waiting.act[name] === act[name]);
  if (waiting.askedBy === actor && isSame) return waiting;
  throw new GatewayError('conflict', { param: 'number', reason: handReasons.waits });
}

function alwaysApproved(): GatewayError {
  const reason = handReasons.alwaysApproved;
  return new GatewayError('credit_limit_exceeded', { reason, detail: { can_ask: true } });
}

/** Programs with a token of their own are refused beyond their limits; no second person can approve for them. */
function mayAsk(error: unknown, actor: string): boolean {
  const isBeyond = error instanceof GatewayError && error.code === 'credit_limit_exceeded';
  return isBeyond && !actor.startsWith('operator-token:');
}
