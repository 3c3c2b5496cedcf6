/** The statements on `approval`. */

import type { JsonObject } from '../core/json.ts';
import type { Money } from '../core/money.ts';
import { money } from '../core/money.ts';
import { column, command, orNull, type RowOf, statement } from '../platform/db/index.ts';
import { actOf, type HandAct } from './hand-act.ts';

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
  /** True when the person who asked also decided, because there was nobody else. */
  alone: boolean;
  expiresAt: Date;
  createdAt: Date;
}

export type ApprovalState = 'waiting' | 'approved' | 'refused' | 'withdrawn' | 'expired';

const STATE = `case when state = 'waiting' and expires_at <= $1 then 'expired' else state end`;

const COLUMNS = `approval.id, payload, balance_before::text as "balanceBefore", reason, asked_by as "askedBy",
  asker.name as "askedByName", ${STATE} as state, decided_by as "decidedBy", decider.name as "decidedByName",
  decided_at as "decidedAt", decision_note as "decisionNote", alone, expires_at as "expiresAt",
  approval.created_at as "createdAt"`;

const TABLES = `approval left join person asker on 'staff:' || asker.id = asked_by
  left join person decider on 'staff:' || decider.id = decided_by`;

const approvalRow = {
  id: column.text,
  payload: column.jsonOf<JsonObject>(),
  balanceBefore: column.text,
  reason: column.text,
  askedBy: column.text,
  askedByName: orNull(column.text),
  state: column.textOf<ApprovalState>(),
  decidedBy: orNull(column.text),
  decidedByName: orNull(column.text),
  decidedAt: orNull(column.timestamp),
  decisionNote: orNull(column.text),
  alone: column.boolean,
  expiresAt: column.timestamp,
  createdAt: column.timestamp,
};
type Row = RowOf<typeof approvalRow>;

export function toApproval({ payload, balanceBefore, ...row }: Row): Approval {
  return { ...row, act: actOf(payload), balanceBefore: money(BigInt(balanceBefore)) };
}

export const APPROVAL = statement(approvalRow, `select ${COLUMNS} from ${TABLES} where approval.id = $2`);

export const APPROVAL_WAITING_FOR = statement(
  approvalRow,
  `select ${COLUMNS} from ${TABLES} where act = $2 and state = 'waiting' and expires_at > $1`,
);

export const APPROVALS = statement(
  approvalRow,
  `select ${COLUMNS} from ${TABLES}
   where ($2::text is null or ${STATE} = $2) and ($3::text is null or account_id = $3) and ($4::text is null or asked_by = $4)
     and ($5::timestamptz is null or (approval.created_at, approval.id) < ($5, $6))
   order by approval.created_at desc, approval.id desc limit $7`,
);

export const EXPIRE_APPROVALS = command(
  `update approval set state = 'expired' where act = $1 and state = 'waiting' and expires_at <= $2`,
);

export const INSERT_APPROVAL = statement(
  { id: column.text },
  `insert into approval (id, kind, act, payload, account_id, amount, balance_before, reason, asked_by, state, expires_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', $10, $11) on conflict do nothing returning id`,
);

export const APPROVAL_LOCKED = statement(
  {
    kind: column.textOf<HandAct['kind']>(),
    asked_by: column.text,
    state: column.text,
    created_at: column.timestamp,
    expires_at: column.timestamp,
  },
  'select kind, asked_by, state, created_at, expires_at from approval where id = $1 for update',
);

export const END_APPROVAL = command(
  `update approval set state = $2, decided_by = $3, decided_at = $4, decision_note = $5, alone = $6 where id = $1`,
);

export const OTHERS_WHO_DECIDE = statement(
  { count: column.bigint },
  `select count(*) as count from staff s join person p on p.id = s.person_id
   where s.role in ('owner', 'finance') and p.blocked_at is null and 'staff:' || s.person_id <> $1`,
);
