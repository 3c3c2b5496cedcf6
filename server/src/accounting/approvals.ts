/**
 * Acts beyond somebody's limits wait here for another person. The person who asked never decides. A decision carries
 * the act out in its own transaction, where everything is checked again. Raising a limit releases nothing that waits.
 */

import { MAY_BOOK } from '@dargah/core/hand-kinds.ts';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Money } from '../core/money.ts';
import { noSuch, refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import type { Approval } from './approval-rows.ts';
import {
  APPROVAL,
  APPROVAL_LOCKED,
  APPROVAL_WAITING_FOR,
  APPROVALS,
  type ApprovalState,
  END_APPROVAL,
  EXPIRE_APPROVALS,
  INSERT_APPROVAL,
  OTHERS_WHO_DECIDE,
  toApproval,
} from './approval-rows.ts';
import { lockedRole } from './credit-limits.ts';
import { type HandAct, payloadOf } from './hand-act.ts';
import { handReasons } from './hand-reasons.ts';

const LIFETIME_MS = 72 * HOUR_MS;
/** How long somebody without a colleague must wait before deciding on their own request. */
const ALONE_MINUTES = 15;

export async function findApproval(db: Queryable, id: string, nowMs: number): Promise<Approval> {
  const row = await APPROVAL.first(db, [new Date(nowMs), id]);
  return row ? toApproval(row) : noSuch('approval', id);
}

/** The approval that waits for this act. */
export async function waitingFor(db: Queryable, actId: string, nowMs: number): Promise<Approval | undefined> {
  const row = await APPROVAL_WAITING_FOR.first(db, [new Date(nowMs), actId]);
  return row && toApproval(row);
}

export interface ApprovalFilter {
  state?: ApprovalState | undefined;
  accountId?: string | undefined;
  askedBy?: string | undefined;
}

export async function listApprovals(
  db: Queryable,
  { state, accountId, askedBy }: ApprovalFilter,
  page: PageRequest,
  nowMs: number,
): Promise<Page<Approval>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await APPROVALS.rows(db, [
    new Date(nowMs),
    state ?? null,
    accountId ?? null,
    askedBy ?? null,
    start.time,
    start.id,
    start.fetch,
  ]);
  return toPage(rows.map(toApproval), start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

interface NewApproval {
  act: HandAct;
  balanceBefore: Money;
  reason: string;
  askedBy: string;
}

/** Returns undefined when another approval for the same act was inserted at the same moment. */
export async function insertApproval(
  tx: Queryable,
  { act, balanceBefore, reason, askedBy }: NewApproval,
  { nowMs, randomBytes }: { nowMs: number; randomBytes: RandomBytes },
): Promise<string | undefined> {
  const now = new Date(nowMs);
  await EXPIRE_APPROVALS.run(tx, [act.id, now]);
  const id = makeId('apr', nowMs, randomBytes);
  const values = [id, act.kind, act.id, payloadOf(act), act.accountId, String(act.amount), String(balanceBefore)];
  const inserted = await INSERT_APPROVAL.rows(tx, [...values, reason, askedBy, new Date(nowMs + LIFETIME_MS), now]);
  return inserted.length > 0 ? id : undefined;
}

interface Decision {
  id: string;
  by: string;
  nowMs: number;
  note: string | null;
}

interface Waiting {
  kind: HandAct['kind'];
  asked_by: string;
  created_at: Date;
}

async function lockWaiting(tx: Queryable, { id, nowMs }: Decision): Promise<Waiting> {
  const row = await APPROVAL_LOCKED.first(tx, [id]);
  if (row?.state !== 'waiting' || row.expires_at.getTime() <= nowMs)
    throw new GatewayError('conflict', { reason: handReasons.notWaiting });
  return row;
}

async function end(tx: Queryable, { id, by, nowMs, note }: Decision, state: ApprovalState, alone: boolean) {
  await END_APPROVAL.run(tx, [id, state, by, new Date(nowMs), note, alone]);
}

/**
 * Called in the transaction of the act, which fails when this throws. Returns whether nobody else could have decided.
 */
export async function approveIn(tx: Queryable, decision: Decision): Promise<{ alone: boolean }> {
  const waiting = await lockWaiting(tx, decision);
  await requireAskerMay(tx, waiting);
  const asked = { askedBy: waiting.asked_by, askedAt: waiting.created_at };
  const { alone } = await requireDecider(tx, asked, decision);
  await end(tx, decision, 'approved', alone);
  return { alone };
}

/**
 * Requires another person of finance, or an owner. An owner without a colleague decides alone, after a while. The role
 * of the person who decides is locked until the transaction ends.
 */
export async function requireDecider(
  tx: Queryable,
  { askedBy, askedAt }: { askedBy: string; askedAt: Date },
  { by, nowMs }: Pick<Decision, 'by' | 'nowMs'>,
): Promise<{ alone: boolean }> {
  const role = await lockedRole(tx, by);
  if (role !== 'owner' && role !== 'finance') throw new GatewayError('forbidden');
  const alone = askedBy === by;
  if (!alone) return { alone };
  if (role !== 'owner' || (await othersWhoDecide(tx, by)) > 0)
    throw new GatewayError('forbidden', { instead: handReasons.ownRequest });
  if (nowMs < askedAt.getTime() + ALONE_MINUTES * MINUTE_MS)
    throw new GatewayError('forbidden', { instead: handReasons.aloneTooEarly(ALONE_MINUTES) });
  return { alone };
}

/** Refuses when the person who asked has lost the role since. */
async function requireAskerMay(tx: Queryable, { asked_by: askedBy, kind }: Waiting): Promise<void> {
  if (!askedBy.startsWith('staff:')) return;
  const role = await lockedRole(tx, askedBy);
  if (role === undefined || !MAY_BOOK[kind].includes(role))
    throw new GatewayError('conflict', { reason: handReasons.askerGone });
}

async function othersWhoDecide(tx: Queryable, actor: string): Promise<number> {
  const row = await OTHERS_WHO_DECIDE.first(tx, [actor]);
  return Number(row?.count ?? 0);
}

/** Declines an approval: the person who asked withdraws it, another person refuses it. */
export async function declineIn(tx: Queryable, decision: Decision, as: 'refused' | 'withdrawn'): Promise<void> {
  const { asked_by: askedBy } = await lockWaiting(tx, decision);
  if (as === 'withdrawn' && askedBy !== decision.by)
    throw new GatewayError('forbidden', { instead: handReasons.notAsker });
  await end(tx, decision, as, false);
}
