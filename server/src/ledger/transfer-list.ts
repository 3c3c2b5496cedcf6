/** The list of transfers: of one account or of all the books, newest first, in pages that cost the same wherever they are. */
import { money } from '../core/money.ts';
import { TRANSFER_KINDS, type TransferKind } from '../core/transfer-kinds.ts';
import { refuseCursor } from '../keys/index.ts';
import type { Queryable } from '../platform/db/database.ts';
import { startOfPage, toPage } from '../platform/db/pages.ts';
import type { BookedTransfer, TransferFilter } from './ledger.ts';

/** Said in the words of the indexes in which charges do not stand; a parameter would hide it from the planner. */
const BY_HAND = `kind not in ('charge', 'provider-cost')`;

export async function transfersOfBooks(
  db: Queryable,
  filter: TransferFilter,
  { before, limit }: { before?: string; limit: number },
): Promise<{ entries: BookedTransfer[]; next: string | null }> {
  const start = startOfPage({ after: before, limit }) ?? refuseCursor();
  if (start.id !== null && !/^\d{1,18}$/.test(start.id)) refuseCursor();
  // What we owe providers concerns no account; looking for it among a customer's charges would read all of them.
  if (filter.accountId !== undefined && filter.kind === 'provider-cost') return { entries: [], next: null };
  const { where, values } = conditions(filter, start);
  const rows = await db.query<TransferRow>(
    `select id, seq, debit, credit, kind, account_id, request_id, price_version, note, created_at,
       (case when debit = 'wallet:' || account_id then -amount else amount end)::text as amount
     from ledger_transfer ${where} order by created_at desc, seq desc limit ${start.fetch}`,
    values,
  );
  const { items, next } = toPage(rows, start, ({ created_at, seq }) => ({ time: created_at, id: String(seq) }));
  return { entries: items.map(readTransfer), next };
}

function conditions(
  filter: TransferFilter,
  start: { time: Date | null; id: string | null },
): { where: string; values: unknown[] } {
  const parts: string[] = [];
  const values: unknown[] = [];
  const add = (condition: (place: string) => string, value: unknown) => {
    if (value === undefined || value === null) return;
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  const { accountId, kind, direction, reference, from, to } = filter;
  add((place) => `account_id = ${place}`, accountId);
  // One of our own words, and written out: the planner then finds the indexes without charges and how many rows are meant.
  if (kind !== undefined) parts.push(`kind = '${TRANSFER_KINDS[TRANSFER_KINDS.indexOf(kind)]}'`);
  // A charge never puts anything into a wallet.
  if (direction === 'in') parts.push(BY_HAND, `credit = 'wallet:' || account_id`);
  if (direction === 'out') parts.push(`debit = 'wallet:' || account_id`);
  add(
    (place) =>
      `(id = ${place} or (${BY_HAND} and split_part(id, ':', 2) = ${place}) or (kind = 'refund' and request_id = ${place}))`,
    reference,
  );
  add((place) => `created_at >= to_timestamp(${place}::float8 / 1000)`, from);
  add((place) => `created_at < to_timestamp(${place}::float8 / 1000)`, to);
  if (start.time !== null) {
    values.push(start.time, start.id);
    parts.push(`(created_at, seq) < ($${values.length - 1}::timestamptz, $${values.length}::bigint)`);
  }
  return { where: parts.length > 0 ? `where ${parts.join(' and ')}` : '', values };
}

interface TransferRow {
  id: string;
  seq: bigint;
  debit: string;
  credit: string;
  kind: TransferKind;
  account_id: string | null;
  request_id: string | null;
  price_version: string | null;
  note: string | null;
  created_at: Date;
  amount: string;
}

function readTransfer(row: TransferRow): BookedTransfer {
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

export interface TransferDoer {
  /** As in the trail: `operator`, `staff:per_…`, `person:per_…`. */
  actor: string;
  /** What the person is called; null for programs. */
  name: string | null;
}

/** The trail of a transfer is written in its transaction, shortly after the time it bears. */
const TRAIL_WITHIN = `interval '10 minutes'`;

/**
 * Who made these transfers: staff by the trail of acts; of an order whoever credited it by hand, or else began it. What the service
 * does by itself (charges, what providers cost, opening and welcome credit, disputes) nobody did.
 */
export async function doersOf(
  db: Queryable,
  transfers: readonly Pick<BookedTransfer, 'id' | 'kind' | 'accountId' | 'createdAt'>[],
): Promise<Map<string, TransferDoer>> {
  const made = transfers.filter(({ kind }) => kind !== 'charge' && kind !== 'provider-cost');
  if (made.length === 0) return new Map();
  const rows = await db.query<TransferDoer & { id: string }>(
    `select made.id, done.actor, person.name
     from unnest($1::text[], $2::text[], $3::timestamptz[]) as made (id, account_id, at)
     cross join lateral (
       select actor from admin_event
       where subject = made.account_id and at >= made.at and at < made.at + ${TRAIL_WITHIN} and detail ->> 'transfer' = made.id
       union all
       select coalesce(
         (select cause from payment_event
          where order_id = payment_order.id and to_state = 'credited' and cause ~ '^(operator|cli)$|^(staff|person|management-key):'
          order by seq limit 1),
         created_by)
       from payment_order where made.id like 'topup:%' and payment_order.id = substr(made.id, 7)
       limit 1
     ) as done
     left join person on person.id = split_part(done.actor, ':', 2)`,
    [
      made.map(({ id }) => id),
      made.map(({ accountId }) => accountId),
      made.map(({ createdAt }) => new Date(createdAt)),
    ],
  );
  return new Map(rows.map(({ id, actor, name }) => [id, { actor, name }]));
}
