/** What was booked by hand: each act writes it, staff read it. */

import { familyOf, type HandKind } from '@dargah/core/hand-kinds.ts';
import { HOME_ZONE } from '@dargah/core/home-zone.ts';
import type { JsonObject } from '../core/json.ts';
import { type Money, money, parseToman, toTomanText } from '../core/money.ts';
import { refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import type { HandAct } from './hand-act.ts';
import type { HandEntry } from './hand-rows.ts';
import { ENTRIES_OF_YESTERDAY, HAND_ENTRIES, HAND_NUMBER_USED, HAND_SETTING, INSERT_HAND_ENTRY } from './hand-rows.ts';

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
  await INSERT_HAND_ENTRY.run(tx, [
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
  ]);
}

function detailOf({ requestId, ticketId, campaign, bank, datedOn, payer, orderId }: NewHandEntry): JsonObject {
  const details = Object.entries({ requestId, ticketId, campaign, bank, datedOn, payer, orderId });
  return Object.fromEntries(details.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

/** A paper's number may be used once by the same person. Called while the row of the actor is locked. */
export async function isNumberUsed(tx: Queryable, actor: string, number: string | null): Promise<boolean> {
  if (number === null) return false;
  const rows = await HAND_NUMBER_USED.rows(tx, [actor, number]);
  return rows.length > 0;
}

export interface HandFilter {
  accountId?: string | undefined;
  actor?: string | undefined;
  kind?: HandKind | undefined;
}

export async function listHandEntries(db: Queryable, filter: HandFilter, page: PageRequest): Promise<Page<HandEntry>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await HAND_ENTRIES.rows(db, [
    filter.accountId ?? null,
    filter.actor ?? null,
    filter.kind ?? null,
    start.time,
    start.id,
    start.fetch,
  ]);
  const entries = rows.map((row): HandEntry => ({ ...row, amount: money(BigInt(row.amount)) }));
  return toPage(entries, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

/** Owners are told of what was booked by hand on a day from this sum on, until they set another. */
const NOTICE_SETTING = 'credit_day_notice';
const USUAL_NOTICE = money(50_000_000_000_000n);

export async function readDayNotice(db: Queryable): Promise<Money> {
  const row = await HAND_SETTING.first(db, [NOTICE_SETTING]);
  return (row && parseToman(String(row.value))) ?? USUAL_NOTICE;
}

export async function changeDayNotice(store: SettingStore, amount: Money, actor: string): Promise<void> {
  await store.set(NOTICE_SETTING, toTomanText(amount), actor);
}

/** What was booked by hand yesterday, in Tehran; undefined where it is below the sum from which owners are told. */
export async function entriesOfYesterday(
  db: Queryable,
  nowMs: number,
): Promise<{ day: string; count: number; amount: Money } | undefined> {
  const row = await ENTRIES_OF_YESTERDAY.first(db, [new Date(nowMs), HOME_ZONE]);
  const amount = money(BigInt(row?.amount ?? 0));
  if (!row || row.count === 0n || amount < (await readDayNotice(db))) return undefined;
  return { day: row.day, count: Number(row.count), amount };
}
