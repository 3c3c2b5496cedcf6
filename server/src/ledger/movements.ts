/**
 * What moved a wallet, newest first: the charges of a day and key as one line, everything else as it was booked, each with the
 * balance after it. Charges are read from the roll-up that posting writes with them (`usage_daily`), which adds up to the
 * ledger's charges at every moment and is as long as there are days, keys and models, however many requests there were.
 *
 * Within a day charges come after all else: shown first, they stand on top, and the first line of all holds the present balance.
 */
import { WALLET_KINDS, type WalletKind } from '@dargah/core/wallet-kinds.ts';
import { firstIdAt } from '../core/ids.ts';
import { type Money, money } from '../core/money.ts';
import { refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/database.ts';

export interface Movement {
  /** Of a line of charges its day and key, else the transfer's. */
  id: string;
  /** `2026-11-18`, of the account's time zone. */
  day: string;
  kind: string;
  amount: Money;
  balance: Money;
  keyId: string | null;
  keyName: string | null;
  requests: number | null;
  requestId: string | null;
  note: string | null;
  at: Date | null;
}

export interface MovementFilter {
  accountId: string;
  timeZone: string;
  kind?: WalletKind | undefined;
  keyId?: string | undefined;
  /** The first and the last day. */
  from?: string | undefined;
  to?: string | undefined;
}

export interface DayCharge {
  requestId: string;
  model: string;
  amount: Money;
  at: Date;
}

/** Where a page ended: at the charges of a key, or at a transfer. */
type Place = { day: string; keyId: string } | { day: string; at: Date; id: string };

const MAX_LIMIT = 200;
/** In the words of the index in which charges do not stand. */
const BY_HAND = `kind not in ('charge', 'provider-cost')`;
const SIGNED = `case when debit = 'wallet:' || account_id then -amount else amount end`;

export async function readMovements(
  db: Queryable,
  filter: MovementFilter,
  { after, limit = 50 }: { after?: string | undefined; limit?: number | undefined },
): Promise<{ items: Movement[]; next: string | null }> {
  // Only charges have a key.
  if (filter.keyId !== undefined && (filter.kind ?? 'charge') !== 'charge') return { items: [], next: null };
  const shown = Math.min(Math.max(1, limit), MAX_LIMIT);
  const values: unknown[] = [filter.accountId, filter.timeZone];
  const place = after === undefined ? undefined : readPlace(after);
  const page = pageSql({ filter, after: place, fetch: shown + 1 }, (value) => `$${values.push(value)}`);
  const rows = await db.query<MovementRow>(withBalances(page), values);
  const items = rows.slice(0, shown).map(toMovement);
  const last = items.at(-1);
  return { items, next: rows.length > shown && last ? writePlace(last) : null };
}

type Bind = (value: unknown) => string;
interface PageOfLines {
  filter: MovementFilter;
  after: Place | undefined;
  fetch: number;
}

/** The lines of one page without their balances. $1 account, $2 time zone. */
function pageSql(page: PageOfLines, bind: Bind): string {
  const { kind, keyId } = page.filter;
  const parts: string[] = [];
  if (kind === undefined || kind === 'charge') parts.push(chargesSql(page, bind));
  if (keyId === undefined && kind !== 'charge') parts.push(othersSql(page, bind));
  return `select * from (${parts.join(' union all ')}) as line order by day desc, place desc, at desc, id desc limit ${page.fetch}`;
}

function chargesSql({ filter: { keyId, from, to }, after, fetch }: PageOfLines, bind: Bind): string {
  const where = ['account_id = $1'];
  if (keyId !== undefined) where.push(`key_id = ${bind(keyId)}`);
  if (from !== undefined) where.push(`day >= ${bind(from)}::date`);
  if (to !== undefined) where.push(`day <= ${bind(to)}::date`);
  // After a transfer all charges of its day were shown; no key is before the empty text.
  if (after)
    where.push(`(day, key_id) < (${bind(after.day)}::date, ${bind('keyId' in after ? after.keyId : '')}::text)`);
  return `(select day, 1 as place, key_id as id, null::timestamptz as at, 'charge' as kind, -sum(cost) as amount,
      sum(requests) as requests, null::text as request_id, null::text as note
    from usage_daily where ${where.join(' and ')} group by day, key_id having sum(cost) > 0
    order by day desc, key_id desc limit ${fetch})`;
}

function othersSql({ filter: { kind, from, to }, after, fetch }: PageOfLines, bind: Bind): string {
  const where = ['account_id = $1', BY_HAND];
  const startOf = (day: string, more = 0) => `((${bind(day)}::date + ${more})::timestamp at time zone $2)`;
  if (from !== undefined) where.push(`created_at >= ${startOf(from)}`);
  if (to !== undefined) where.push(`created_at < ${startOf(to, 1)}`);
  // One of our own words, and written out: the planner then finds the index without charges.
  if (kind !== undefined) where.push(`kind = '${WALLET_KINDS[WALLET_KINDS.indexOf(kind)]}'`);
  if (after && 'keyId' in after) where.push(`created_at < ${startOf(after.day, 1)}`);
  else if (after) where.push(`(created_at, id) < (${bind(after.at)}::timestamptz, ${bind(after.id)}::text)`);
  return `(select (created_at at time zone $2)::date as day, 0 as place, id, created_at as at, kind, ${SIGNED} as amount,
      null::numeric as requests, request_id, note
    from ledger_transfer where ${where.join(' and ')} order by created_at desc, id desc limit ${fetch})`;
}

/** A balance is the present one less all that came after the line; what is filtered away counts too. */
function withBalances(page: string): string {
  return `
with page as materialized (${page}), oldest as (select min(day) as day from page),
charged as materialized (
  select day, sum(cost) as cost from usage_daily where account_id = $1 and day >= (select day from oldest) group by day
), moved as materialized (
  select (created_at at time zone $2)::date as day, sum(${SIGNED}) as amount from ledger_transfer
  where account_id = $1 and ${BY_HAND} and created_at >= ((select day from oldest)::timestamp at time zone $2) group by 1
)
select page.day::text as day, page.place, page.id, page.at, page.kind, page.amount::text as amount, page.requests::text as requests,
  page.request_id, page.note, api_key.name as key_name, (
    coalesce((select posted from ledger_account where id = 'wallet:' || $1), 0)
    + coalesce((select sum(cost) from charged where charged.day > page.day), 0)
    - coalesce((select sum(amount) from moved where moved.day > page.day), 0)
    + case page.place when 1 then coalesce((
        select sum(cost) from usage_daily used where used.account_id = $1 and used.day = page.day and used.key_id > page.id), 0)
      else coalesce((select cost from charged where charged.day = page.day), 0) - coalesce((
        select sum(${SIGNED}) from ledger_transfer newer where newer.account_id = $1 and newer.${BY_HAND}
          and (newer.created_at, newer.id) > (page.at, page.id)
          and newer.created_at < ((page.day + 1)::timestamp at time zone $2)), 0) end
  )::text as balance
from page left join api_key on page.place = 1 and api_key.id = page.id
order by page.day desc, page.place desc, page.at desc, page.id desc`;
}

/**
 * The requests behind a line of charges, for as long as the log has them. The day in their rows is the line's own, in the zone
 * that the account had then; ids begin with the time, which bounds the walk to the days around it.
 */
export async function readDayCharges(
  db: Queryable,
  { accountId, day, keyId }: { accountId: string; day: string; keyId: string },
  { after, limit = 50 }: { after?: string | undefined; limit?: number | undefined },
): Promise<{ items: DayCharge[]; next: string | null }> {
  const shown = Math.min(Math.max(1, limit), MAX_LIMIT);
  const noon = Date.parse(`${day}T12:00:00Z`);
  const times = [noon - AROUND_MS, noon + AROUND_MS];
  if (after !== undefined && !/^[\w-]{1,100}$/.test(after)) refuseCursor();
  const rows = await db.query<{ id: string; model: string; cost: string; created_at: Date }>(
    `select id, model, cost::text as cost, created_at from request_log
     where account_id = $1 and id >= $2 and id < $3 and created_at >= $4 and created_at < $5
       and day = $6::date and key_id = $7 and cost > 0 order by id desc limit ${shown + 1}`,
    [
      accountId,
      ...times.map((ms, end) => (end === 1 && after !== undefined ? after : firstIdAt('req', ms))),
      ...times.map((ms) => new Date(ms)),
      day,
      keyId,
    ],
  );
  const items = rows.slice(0, shown).map(({ id, model, cost, created_at: at }) => ({
    requestId: id,
    model,
    amount: money(-BigInt(cost)),
    at,
  }));
  return { items, next: rows.length > shown ? (items.at(-1)?.requestId ?? null) : null };
}

/** From noon: wherever on earth the day began and ended. */
const AROUND_MS = 27 * 3_600_000;

interface MovementRow {
  day: string;
  place: number;
  id: string;
  at: Date | null;
  kind: string;
  amount: string;
  requests: string | null;
  request_id: string | null;
  note: string | null;
  key_name: string | null;
  balance: string;
}

function toMovement(row: MovementRow): Movement {
  const isCharges = row.place === 1;
  return {
    id: isCharges ? `${row.day}:${row.id}` : row.id,
    day: row.day,
    kind: row.kind,
    amount: money(BigInt(row.amount)),
    balance: money(BigInt(row.balance)),
    keyId: isCharges ? row.id : null,
    keyName: row.key_name,
    requests: row.requests === null ? null : Number(row.requests),
    requestId: row.request_id,
    note: row.note,
    at: row.at,
  };
}

function writePlace({ day, keyId, at, id }: Movement): string {
  const place = keyId === null ? `${day}.t.${at?.getTime() ?? 0}.${id}` : `${day}.c.${keyId}`;
  return Buffer.from(place).toString('base64url');
}

function readPlace(after: string): Place {
  const text = Buffer.from(after, 'base64url').toString();
  const charges = /^(\d{4}-\d\d-\d\d)\.c\.(\P{Cc}{1,200})$/u.exec(text);
  const transfer = /^(\d{4}-\d\d-\d\d)\.t\.(\d{1,15})\.(\P{Cc}{1,200})$/u.exec(text);
  const day = (charges ?? transfer)?.[1] ?? '';
  if (Number.isNaN(Date.parse(`${day}T00:00:00Z`))) refuseCursor();
  if (charges) return { day, keyId: charges[2] ?? '' };
  return { day, at: new Date(Number(transfer?.[2])), id: transfer?.[3] ?? '' };
}
