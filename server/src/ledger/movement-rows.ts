/** Statements that read the lines of a wallet, and the requests behind a line of charges. */
import type { WalletKind } from '@dargah/core/wallet-kinds.ts';
import { WALLET_KINDS } from '@dargah/core/wallet-kinds.ts';
import type { Money } from '../core/money.ts';
import { money } from '../core/money.ts';
import { column, orNull, type Queryable, type RowOf, statementFor } from '../platform/db/index.ts';

export interface MovementFilter {
  accountId: string;
  timeZone: string;
  kind?: WalletKind | undefined;
  keyId?: string | undefined;
  /** The first and the last day. */
  from?: string | undefined;
  to?: string | undefined;
}

export interface Movement {
  /** For a line of charges its day and key, otherwise the id of the transfer. */
  id: string;
  /** A day such as `2026-11-18`, in the account's time zone. */
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

const movementRow = {
  day: column.text,
  place: column.int,
  id: column.text,
  at: orNull(column.timestamp),
  kind: column.text,
  amount: column.text,
  requests: orNull(column.text),
  request_id: orNull(column.text),
  note: orNull(column.text),
  key_name: orNull(column.text),
  balance: column.text,
};
type MovementRow = RowOf<typeof movementRow>;

/** Where a page ended: at the charges of a key, or at a transfer. */
export type Place = { day: string; keyId: string } | { day: string; at: Date; id: string };

/** Written as in the index that leaves out charges. */
const BY_HAND = `kind not in ('charge', 'provider-cost')`;

const SIGNED = `case when debit = 'wallet:' || account_id then -amount else amount end`;

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
  // All charges of a day come before its transfers, so a page after a transfer shows none of them; no key is smaller
  // than the empty text.
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
  // One of our own words, so it is written out: the planner then uses the index without charges.
  if (kind !== undefined) where.push(`kind = '${WALLET_KINDS[WALLET_KINDS.indexOf(kind)]}'`);
  if (after && 'keyId' in after) where.push(`created_at < ${startOf(after.day, 1)}`);
  else if (after) where.push(`(created_at, id) < (${bind(after.at)}::timestamptz, ${bind(after.id)}::text)`);
  return `(select (created_at at time zone $2)::date as day, 0 as place, id, created_at as at, kind, ${SIGNED} as amount,
      null::numeric as requests, request_id, note
    from ledger_transfer where ${where.join(' and ')} order by created_at desc, id desc limit ${fetch})`;
}

/** A balance is the present one less everything after the line, including what is filtered out. */
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

export function toMovement(row: MovementRow): Movement {
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

const MOVEMENTS = statementFor(movementRow, withBalances, ...samplePages());

/** $1 account, $2 time zone; further parameters come from the filter. */
export async function selectMovements(db: Queryable, page: PageOfLines): Promise<MovementRow[]> {
  const values: unknown[] = [page.filter.accountId, page.filter.timeZone];
  const text = pageSql(page, (value) => `$${values.push(value)}`);
  return MOVEMENTS(text).rows(db, values);
}

/** A page of each form that the test of statements describes. */
function samplePages(): [string][] {
  const of = { accountId: '', timeZone: '' };
  const days = { from: '2026-01-01', to: '2026-01-01' };
  const pages: Omit<PageOfLines, 'fetch'>[] = [
    { filter: of, after: undefined },
    { filter: { ...of, ...days }, after: { day: days.to, keyId: '' } },
    { filter: { ...of, ...days, kind: 'charge', keyId: '' }, after: undefined },
    { filter: { ...of, kind: 'top-up' }, after: { day: days.to, at: new Date(0), id: '' } },
  ];
  return pages.map((page) => {
    let number = 2;
    return [pageSql({ ...page, fetch: 1 }, () => `$${++number}`)];
  });
}

const DAY_CHARGES = statementFor(
  { id: column.text, model: column.text, cost: column.text, created_at: column.timestamp },
  (fetch: number) => `select id, model, cost::text as cost, created_at from request_log
   where account_id = $1 and id >= $2 and id < $3 and created_at >= $4 and created_at < $5
     and day = $6::date and key_id = $7 and cost > 0 order by id desc limit ${fetch}`,
  [1],
);

export const selectDayCharges = (db: Queryable, fetch: number, values: readonly unknown[]) =>
  DAY_CHARGES(fetch).rows(db, values);
