/** What was booked by hand: written with each act, read by staff. */

import { familyOf, type HandKind } from '@dargah/core/hand-kinds.ts';
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { type Money, money, parseToman, toTomanText } from '../core/money.ts';
import { refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import type { HandAct } from './hand-act.ts';

export interface HandEntry {
  id: string;
  actor: string;
  /** Of people who work here; null for programs. */
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

interface NewHandEntry extends Omit<Partial<HandAct>, 'kind' | 'accountId'> {
  id: string;
  kind: HandKind;
  accountId: string | null;
  amount: Money;
  actor: string;
  counted: Money;
  nowMs: number;
  approval?: { id: string; by: string; alone: boolean } | undefined;
}

export async function insertHandEntry(tx: Queryable, entry: NewHandEntry): Promise<void> {
  const { approval } = entry;
  await tx.query(
    `insert into hand_entry (id, actor, kind, account_id, amount, family, counted, day, number, reason, note, detail, last_day,
       approval_id, approved_by, alone, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, ($17::timestamptz at time zone $18)::date, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      entry.id,
      entry.actor,
      entry.kind,
      entry.accountId,
      String(entry.amount),
      familyOf(entry.kind),
      String(entry.counted),
      entry.number ?? null,
      entry.reason ?? null,
      entry.note ?? null,
      detailOf(entry),
      entry.lastDay ?? null,
      approval?.id ?? null,
      approval?.by ?? null,
      approval?.alone ?? false,
      new Date(entry.nowMs),
      new Date(entry.nowMs),
      HOME_ZONE,
    ],
  );
}

function detailOf({ requestId, ticketId, campaign, bank, datedOn, payer, orderId }: NewHandEntry): JsonObject {
  const given = Object.entries({ requestId, ticketId, campaign, bank, datedOn, payer, orderId });
  return Object.fromEntries(given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

/** A paper's number is for one entry of whoever holds the paper. Asked while the row of the actor is locked. */
export async function isNumberUsed(tx: Queryable, actor: string, number: string | null): Promise<boolean> {
  if (number === null) return false;
  const rows = await tx.query('select from hand_entry where number = $2 and actor = $1 limit 1', [actor, number]);
  return rows.length > 0;
}

export interface HandFilter {
  accountId?: string | undefined;
  actor?: string | undefined;
  kind?: HandKind | undefined;
}

type Row = Omit<HandEntry, 'amount'> & { amount: string };

export async function listHandEntries(db: Queryable, filter: HandFilter, page: PageRequest): Promise<Page<HandEntry>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await db.query<Row>(
    `select entry.id, actor, doer.name as "actorName", kind, account_id as "accountId", amount::text as amount, number, reason, note,
       to_char(last_day, 'YYYY-MM-DD') as "lastDay", ended_at as "endedAt", approval_id as "approvalId",
       approved_by as "approvedBy", approver.name as "approvedByName", alone, entry.created_at as "createdAt"
     from hand_entry entry left join person doer on 'staff:' || doer.id = actor
       left join person approver on 'staff:' || approver.id = approved_by
     where ($1::text is null or account_id = $1) and ($2::text is null or actor = $2) and ($3::text is null or kind = $3)
       and ($4::timestamptz is null or (entry.created_at, entry.id) < ($4, $5))
     order by entry.created_at desc, entry.id desc limit $6`,
    [filter.accountId ?? null, filter.actor ?? null, filter.kind ?? null, start.time, start.id, start.fetch],
  );
  const entries = rows.map((row): HandEntry => ({ ...row, amount: money(BigInt(row.amount)) }));
  return toPage(entries, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

/** From so much on owners hear of what was booked by hand on a day, until they set another sum. */
const NOTICE_SETTING = 'credit_day_notice';
const USUAL_NOTICE = money(50_000_000_000_000n);

export async function readDayNotice(db: Queryable): Promise<Money> {
  const [row] = await db.query<{ value: Json }>('select value from setting where key = $1', [NOTICE_SETTING]);
  return (row && parseToman(String(row.value))) ?? USUAL_NOTICE;
}

export async function changeDayNotice(store: SettingStore, amount: Money, actor: string): Promise<void> {
  await store.set(NOTICE_SETTING, toTomanText(amount), actor);
}

/** What was booked by hand yesterday, in Tehran; undefined where it is below what owners want to hear of. */
export async function entriesOfYesterday(
  db: Queryable,
  nowMs: number,
): Promise<{ day: string; count: number; amount: Money } | undefined> {
  const [row] = await db.query<{ day: string; count: bigint; amount: string }>(
    `select to_char(yesterday, 'YYYY-MM-DD') as day, count(entry.id) as count, coalesce(sum(abs(entry.amount)), 0)::text as amount
     from (select ($1::timestamptz at time zone $2)::date - 1 as yesterday) as it left join hand_entry entry on entry.day = yesterday
     group by yesterday`,
    [new Date(nowMs), HOME_ZONE],
  );
  const amount = money(BigInt(row?.amount ?? 0));
  if (!row || row.count === 0n || amount < (await readDayNotice(db))) return undefined;
  return { day: row.day, count: Number(row.count), amount };
}
