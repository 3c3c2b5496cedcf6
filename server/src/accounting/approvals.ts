/**
 * Acts beyond somebody's ceilings wait here for another person. Whoever asked never decides; a decision carries the act out in its own
 * transaction, where everything is looked at again. Raising a ceiling moves nothing that waits.
 */

import { MAY_BOOK } from '@dargah/core/hand-kinds.ts';
import { HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { type Money, money } from '../core/money.ts';
import { noSuch, refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import { lockedRole } from './credit-limits.ts';
import { actOf, type HandAct, payloadOf } from './hand-act.ts';
import { handReasons } from './hand-reasons.ts';

type ApprovalState = 'waiting' | 'approved' | 'refused' | 'withdrawn' | 'expired';

export interface Approval {
  id: string;
  act: HandAct;
  balanceBefore: Money;
  reason: string;
  askedBy: string;
  askedByName: string | null;
  state: ApprovalState;
  decidedBy: string | null;
  decidedByName: string | null;
  decidedAt: Date | null;
  decisionNote: string | null;
  /** Decided by whoever asked, because there was nobody else. */
  alone: boolean;
  expiresAt: Date;
  createdAt: Date;
}

const LIFETIME_MS = 72 * HOUR_MS;
/** How long somebody who is alone thinks it over. */
const ALONE_MINUTES = 15;

const STATE = `case when state = 'waiting' and expires_at <= $1 then 'expired' else state end`;
const COLUMNS = `approval.id, payload, balance_before::text as "balanceBefore", reason, asked_by as "askedBy",
  asker.name as "askedByName", ${STATE} as state, decided_by as "decidedBy", decider.name as "decidedByName",
  decided_at as "decidedAt", decision_note as "decisionNote", alone, expires_at as "expiresAt",
  approval.created_at as "createdAt"`;
const TABLES = `approval left join person asker on 'staff:' || asker.id = asked_by
  left join person decider on 'staff:' || decider.id = decided_by`;

type Row = Omit<Approval, 'act' | 'balanceBefore'> & { payload: JsonObject; balanceBefore: string };

function toApproval({ payload, balanceBefore, ...row }: Row): Approval {
  return { ...row, act: actOf(payload), balanceBefore: money(BigInt(balanceBefore)) };
}

export async function findApproval(db: Queryable, id: string, nowMs: number): Promise<Approval> {
  const [row] = await db.query<Row>(`select ${COLUMNS} from ${TABLES} where approval.id = $2`, [new Date(nowMs), id]);
  return row ? toApproval(row) : noSuch('approval', id);
}

/** The one that waits for this act. */
export async function waitingFor(db: Queryable, actId: string, nowMs: number): Promise<Approval | undefined> {
  const [row] = await db.query<Row>(
    `select ${COLUMNS} from ${TABLES} where act = $2 and state = 'waiting' and expires_at > $1`,
    [new Date(nowMs), actId],
  );
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
  const rows = await db.query<Row>(
    `select ${COLUMNS} from ${TABLES}
     where ($2::text is null or ${STATE} = $2) and ($3::text is null or account_id = $3) and ($4::text is null or asked_by = $4)
       and ($5::timestamptz is null or (approval.created_at, approval.id) < ($5, $6))
     order by approval.created_at desc, approval.id desc limit $7`,
    [new Date(nowMs), state ?? null, accountId ?? null, askedBy ?? null, start.time, start.id, start.fetch],
  );
  return toPage(rows.map(toApproval), start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

interface NewApproval {
  act: HandAct;
  balanceBefore: Money;
  reason: string;
  askedBy: string;
}

/** Undefined where another one for the same act began to wait at the same moment. */
export async function insertApproval(
  tx: Queryable,
  { act, balanceBefore, reason, askedBy }: NewApproval,
  { nowMs, randomBytes }: { nowMs: number; randomBytes: RandomBytes },
): Promise<string | undefined> {
  const now = new Date(nowMs);
  await tx.query(`update approval set state = 'expired' where act = $1 and state = 'waiting' and expires_at <= $2`, [
    act.id,
    now,
  ]);
  const id = makeId('apr', nowMs, randomBytes);
  const values = [id, act.kind, act.id, payloadOf(act), act.accountId, String(act.amount), String(balanceBefore)];
  const inserted = await tx.query(
    `insert into approval (id, kind, act, payload, account_id, amount, balance_before, reason, asked_by, state, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', $10, $11) on conflict do nothing returning id`,
    [...values, reason, askedBy, new Date(nowMs + LIFETIME_MS), now],
  );
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
  const [row] = await tx.query<Waiting & { state: string; expires_at: Date }>(
    'select kind, asked_by, state, created_at, expires_at from approval where id = $1 for update',
    [id],
  );
  if (row?.state !== 'waiting' || row.expires_at.getTime() <= nowMs)
    throw new GatewayError('conflict', { reason: handReasons.notWaiting });
  return row;
}

async function end(tx: Queryable, { id, by, nowMs, note }: Decision, state: ApprovalState, alone: boolean) {
  await tx.query(
    `update approval set state = $2, decided_by = $3, decided_at = $4, decision_note = $5, alone = $6 where id = $1`,
    [id, state, by, new Date(nowMs), note, alone],
  );
}

/** Called in the transaction of the act, which ends where this throws. Tells whether nobody else could have decided. */
export async function approveIn(tx: Queryable, decision: Decision): Promise<{ alone: boolean }> {
  const waiting = await lockWaiting(tx, decision);
  await requireAskerMay(tx, waiting);
  const asked = { askedBy: waiting.asked_by, askedAt: waiting.created_at };
  const { alone } = await requireDecider(tx, asked, decision);
  await end(tx, decision, 'approved', alone);
  return { alone };
}

/**
 * Another person of finance or an owner decides. An owner who is alone decides for themselves, after a while. Whoever decides
 * keeps their role until the transaction ends.
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

/** Somebody who lost the role since they asked does not get what they asked for. */
async function requireAskerMay(tx: Queryable, { asked_by: askedBy, kind }: Waiting): Promise<void> {
  if (!askedBy.startsWith('staff:')) return;
  const role = await lockedRole(tx, askedBy);
  if (role === undefined || !MAY_BOOK[kind].includes(role))
    throw new GatewayError('conflict', { reason: handReasons.askerGone });
}

async function othersWhoDecide(tx: Queryable, actor: string): Promise<number> {
  const [row] = await tx.query<{ count: bigint }>(
    `select count(*) as count from staff s join person p on p.id = s.person_id
     where s.role in ('owner', 'finance') and p.blocked_at is null and 'staff:' || s.person_id <> $1`,
    [actor],
  );
  return Number(row?.count ?? 0);
}

/** Whoever asked takes it back; another one refuses it. */
export async function declineIn(tx: Queryable, decision: Decision, as: 'refused' | 'withdrawn'): Promise<void> {
  const { asked_by: askedBy } = await lockWaiting(tx, decision);
  if (as === 'withdrawn' && askedBy !== decision.by)
    throw new GatewayError('forbidden', { instead: handReasons.notAsker });
  await end(tx, decision, as, false);
}
