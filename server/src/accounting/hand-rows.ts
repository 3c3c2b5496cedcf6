/** Statements of credit by hand: its entries, limits, and gifts that expire. */

import type { HandKind } from '@dargah/core/hand-kinds.ts';
import type { StaffRole } from '@dargah/core/roles.ts';
import type { Money } from '../core/money.ts';
import { IS_GIFT } from '../ledger/index.ts';
import { column, command, notNull, orNull, statement } from '../platform/db/index.ts';

export interface HandEntry {
  id: string;
  actor: string;
  /** The name of a member of staff; null for programs. */
  actorName: string | null;
  kind: HandKind;
  accountId: string | null;
  amount: Money;
  number: string | null;
  reason: string | null;
  note: string | null;
  lastDay: string | null;
  endedAt: Date | null;
  approvalId: string | null;
  approvedBy: string | null;
  approvedByName: string | null;
  alone: boolean;
  createdAt: Date;
}

const handEntryRow = {
  id: column.text,
  actor: column.text,
  actorName: orNull(column.text),
  kind: column.textOf<HandEntry['kind']>(),
  accountId: orNull(column.text),
  amount: column.text,
  number: orNull(column.text),
  reason: orNull(column.text),
  note: orNull(column.text),
  lastDay: orNull(column.text),
  endedAt: orNull(column.timestamp),
  approvalId: orNull(column.text),
  approvedBy: orNull(column.text),
  approvedByName: orNull(column.text),
  alone: column.boolean,
  createdAt: column.timestamp,
};

export const INSERT_HAND_ENTRY =
  command(`insert into hand_entry (id, actor, kind, account_id, amount, family, counted, day, number, reason, note, detail, last_day,
     approval_id, approved_by, alone, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, ($17::timestamptz at time zone $18)::date, $8, $9, $10, $11, $12, $13, $14, $15, $16)`);

export const HAND_NUMBER_USED = statement({}, 'select from hand_entry where number = $2 and actor = $1 limit 1');

export const HAND_ENTRIES = statement(
  handEntryRow,
  `select entry.id, actor, doer.name as "actorName", kind, account_id as "accountId", amount::text as amount, number, reason, note,
     to_char(last_day, 'YYYY-MM-DD') as "lastDay", ended_at as "endedAt", approval_id as "approvalId",
     approved_by as "approvedBy", approver.name as "approvedByName", alone, entry.created_at as "createdAt"
   from hand_entry entry left join person doer on 'staff:' || doer.id = actor
     left join person approver on 'staff:' || approver.id = approved_by
   where ($1::text is null or account_id = $1) and ($2::text is null or actor = $2) and ($3::text is null or kind = $3)
     and ($4::timestamptz is null or (entry.created_at, entry.id) < ($4, $5))
   order by entry.created_at desc, entry.id desc limit $6`,
);

export const ENTRIES_OF_YESTERDAY = statement(
  { day: column.text, count: column.bigint, amount: column.text },
  `select to_char(yesterday, 'YYYY-MM-DD') as day, count(entry.id) as count, coalesce(sum(abs(entry.amount)), 0)::text as amount
   from (select ($1::timestamptz at time zone $2)::date - 1 as yesterday) as it left join hand_entry entry on entry.day = yesterday
   group by yesterday`,
);

export const HAND_SETTING = statement({ value: column.json }, 'select value from setting where key = $1');

export const COUNTED_FOR_ACCOUNT = statement(
  { amount: column.text },
  `select coalesce(sum(counted), 0)::text as amount from hand_entry entry
   where account_id = $1 and family = $2 and created_at > $3 and (actor = $4 or exists (
     select from staff mine join staff theirs on theirs.role = mine.role
     where 'staff:' || mine.person_id = $4 and 'staff:' || theirs.person_id = entry.actor))`,
);

export const COUNTED_TODAY = statement(
  { amount: column.text },
  `select coalesce(sum(counted), 0)::text as amount from hand_entry
   where actor = $1 and ($2::text is null or family = $2) and day = ($3::timestamptz at time zone $4)::date`,
);

export const LIMITS_OF_TOKEN = statement(
  { act: column.text, day: column.text },
  `select credit_act::text as act, credit_day::text as day from operator_token
   where id = $1 and revoked_at is null for update`,
);

export const ROLE_LOCKED = statement(
  { role: column.textOf<StaffRole>() },
  `select s.role from staff s join person p on p.id = s.person_id
   where s.person_id = $1 and p.blocked_at is null for update of s`,
);

/** Only gifts to an account have a last day. */
const giftDueRow = { id: column.text, accountId: notNull(column.text) };

const giftEventRow = {
  id: column.text,
  amount: column.text,
  isTaken: column.boolean,
  lastDay: orNull(column.text),
  charged: column.text,
};

const MAX_AT_ONCE = 200;

const EVENTS = `
with moved as (
  select transfer.id, amount, debit = 'wallet:' || $1 as "isTaken", created_at, seq,
    lead(created_at) over (order by created_at, seq) as until
  from ledger_transfer transfer where account_id = $1 and kind not in ('charge', 'provider-cost') and ${IS_GIFT}
)
select moved.id, moved.amount::text as amount, "isTaken", to_char(last_day, 'YYYY-MM-DD') as "lastDay",
  (select coalesce(sum(charge.amount), 0)::text from ledger_transfer charge
   where charge.account_id = $1 and charge.kind = 'charge' and charge.created_at >= moved.created_at
     and (moved.until is null or charge.created_at < moved.until)) as charged
from moved left join hand_entry on hand_entry.id = moved.id order by moved.created_at, seq`;

export const GIFTS_DUE = statement(
  giftDueRow,
  `select id, account_id as "accountId" from hand_entry
   where last_day < ($1::timestamptz at time zone $2)::date and ended_at is null
   order by last_day, id limit ${MAX_AT_ONCE}`,
);

export const OPEN_GIFT = statement(
  {},
  'select from hand_entry where id = $1 and ended_at is null for update skip locked',
);

export const MARK_GIFT_ENDED = command('update hand_entry set ended_at = $2 where id = $1');

export const GIFT_EVENTS = statement(giftEventRow, EVENTS);
