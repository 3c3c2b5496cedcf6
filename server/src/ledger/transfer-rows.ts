/** Statements that read transfers for lists of them, and who made them. */

import { GIVEN_BACK, TRANSFER_KINDS, type TransferKind } from '@dargah/core/transfer-kinds.ts';
import { firstIdAt, LAST_MS } from '../core/ids.ts';
import { money } from '../core/money.ts';
import { column, orNull, type Queryable, type RowOf, statement, statementFor } from '../platform/db/index.ts';
import type { PageStart } from '../platform/db/pages.ts';
import type { BookedTransfer, TransferFilter } from './ledger.ts';

const transferRow = {
  id: column.text,
  seq: column.bigint,
  debit: column.text,
  credit: column.text,
  kind: column.textOf<TransferKind>(),
  account_id: orNull(column.text),
  request_id: orNull(column.text),
  price_version: orNull(column.text),
  note: orNull(column.text),
  created_at: column.timestamp,
  amount: column.text,
};
type TransferRow = RowOf<typeof transferRow>;

/** Written as in the indexes that leave out charges; a parameter would hide it from the planner. */
const BY_HAND = `kind not in ('charge', 'provider-cost')`;

/**
 * The newest rows of each kind that is requested. Charges of all accounts are walked by their id, which begins with the
 * time of the request: an index by time would be written for every charge and used by this list alone.
 */
function pagesOf(filter: TransferFilter, start: PageStart, parts: readonly string[]): string[] {
  const page = (more: readonly string[], order: string) => {
    const where = [...parts, ...more];
    const limited = `order by ${order} limit ${start.fetch}`;
    return `(select * from ledger_transfer ${where.length > 0 ? `where ${where.join(' and ')}` : ''} ${limited})`;
  };
  const byTime = `created_at desc, ${tieOf(filter)} desc`;
  const { accountId, kind = 'charge', direction, reference, documentId, withoutCharges, byHand } = filter;
  const isFound = [accountId, reference, documentId].some((one) => one !== undefined);
  if (isFound || direction === 'in' || kind !== 'charge') return [page([], byTime)];
  if (byHand) return [page([BY_HAND], byTime)];
  if (withoutCharges) return [page([direction === 'out' ? BY_HAND : `kind <> 'charge'`], byTime)];
  const charges = page([`kind = 'charge'`, ...requestIds(filter, start)], 'id desc');
  if (filter.kind !== undefined) return [charges];
  // What we owe providers leaves no wallet.
  return [charges, page([direction === 'out' ? BY_HAND : `kind <> 'charge'`], byTime)];
}

/**
 * The column that orders transfers of one millisecond: in one account their number, in all the books the id by which
 * charges are walked.
 */
export function tieOf({ accountId }: TransferFilter): 'seq' | 'id' {
  return accountId === undefined ? 'id' : 'seq';
}

/** The ids that requests of this time may have. */
function requestIds({ from = 0, to = LAST_MS }: TransferFilter, { time }: PageStart): string[] {
  const end = time === null ? to : Math.min(to, time.getTime() + 1);
  return [`id >= '${firstRequestAt(from)}'`, `id < '${firstRequestAt(end)}'`];
}

function firstRequestAt(ms: number): string {
  return firstIdAt('req', Math.min(LAST_MS, Math.max(0, Math.ceil(ms))));
}

function conditions(filter: TransferFilter, start: PageStart): { parts: string[]; values: unknown[] } {
  const parts: string[] = [];
  const values: unknown[] = [];
  const add = (condition: (place: string) => string, value: unknown) => {
    if (value === undefined || value === null) return;
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  const { accountId, kind, direction, reference, from, to } = filter;
  add((place) => `account_id = ${place}`, accountId);
  add((place) => `document_id = ${place}`, filter.documentId);
  // One of our own words, so it is written out: the planner then uses the indexes without charges and knows how many
  // rows to expect.
  if (kind !== undefined) parts.push(`kind = '${TRANSFER_KINDS[TRANSFER_KINDS.indexOf(kind)]}'`);
  // A charge never puts anything into a wallet.
  if (direction === 'in') parts.push(BY_HAND, `credit = 'wallet:' || account_id`);
  if (direction === 'out') parts.push(`debit = 'wallet:' || account_id`);
  add(
    (place) =>
      `(id = ${place} or (${BY_HAND} and split_part(id, ':', 2) = ${place}) or (kind in ${GIVEN_BACK} and request_id = ${place}))`,
    reference,
  );
  add((place) => `created_at >= to_timestamp(${place}::float8 / 1000)`, from);
  add((place) => `created_at < to_timestamp(${place}::float8 / 1000)`, to);
  if (start.time !== null) {
    values.push(start.time, start.id);
    const tie = tieOf(filter);
    const type = tie === 'seq' ? 'bigint' : 'text';
    parts.push(`(created_at, ${tie}) < ($${values.length - 1}::timestamptz, $${values.length}::${type})`);
  }
  return { parts, values };
}

export function readTransfer(row: TransferRow): BookedTransfer {
  return {
    id: row.id,
    kind: row.kind,
    debit: row.debit,
    credit: row.credit,
    accountId: row.account_id,
    amount: money(BigInt(row.amount)),
    requestId: row.request_id,
    priceVersion: row.price_version,
    note: row.note,
    createdAt: row.created_at.getTime(),
  };
}

/** The audit log entry of a transfer is written in its transaction, shortly after the time of the transfer. */
const AUDIT_LOG_WITHIN = `interval '10 minutes'`;

const TRANSFERS = statementFor(
  transferRow,
  (pages: string, tie: 'seq' | 'id', fetch: number) =>
    `select id, seq, debit, credit, kind, account_id,
       case when kind = 'charge' then id else request_id end as request_id, price_version, note, created_at,
       (case when debit = 'wallet:' || account_id then -amount else amount end)::text as amount
     from (${pages}) as transfer
     order by created_at desc, ${tie} desc limit ${fetch}`,
  ...sampleLists(),
);

export function selectTransfers(db: Queryable, filter: TransferFilter, start: PageStart): Promise<TransferRow[]> {
  const { parts, values } = conditions(filter, start);
  return TRANSFERS(pagesOf(filter, start, parts).join(' union all '), tieOf(filter), start.fetch).rows(db, values);
}

/** A list of each form that the test of statements describes. */
function sampleLists(): [string, 'seq' | 'id', number][] {
  const first: PageStart = { time: null, id: null, fetch: 1 };
  const later: PageStart = { time: new Date(0), id: '1', fetch: 1 };
  const filters: TransferFilter[] = [
    {},
    { accountId: '', kind: 'top-up', direction: 'in', from: 0, to: 1 },
    { direction: 'out', reference: '', documentId: '' },
    { withoutCharges: true },
    { byHand: true },
    { kind: 'charge' },
  ];
  return filters.flatMap((filter) =>
    [first, later].map((start): [string, 'seq' | 'id', number] => [
      pagesOf(filter, start, conditions(filter, start).parts).join(' union all '),
      tieOf(filter),
      start.fetch,
    ]),
  );
}

export const DOERS = statement(
  { id: column.text, actor: column.text, name: orNull(column.text) },
  `select made.id, done.actor, person.name
   from unnest($1::text[], $2::text[], $3::timestamptz[]) as made (id, account_id, at)
   cross join lateral (
     select actor from admin_event
     where subject = made.account_id and at >= made.at and at < made.at + ${AUDIT_LOG_WITHIN} and detail ->> 'transfer' = made.id
     union all
     select coalesce(
       (select cause from payment_event
        where order_id = payment_order.id and to_state = 'credited' and cause ~ '^(operator|cli)$|^(staff|person|management-key):'
        order by seq limit 1),
       created_by)
     from payment_order where made.id like 'topup:%' and payment_order.id = substr(made.id, 7)
     union all
     select document.created_by from ledger_transfer line join document on document.id = line.document_id
     where line.id = made.id and document.created_by ~ '^(operator|cli)$|^(staff|person|management-key):'
     limit 1
   ) as done
   left join person on person.id = split_part(done.actor, ':', 2)`,
);
