/** Settlements and their lines, as they are stored. */

import { type Money, money } from '../core/money.ts';
import { noSuch, refuseCursor } from '../keys/index.ts';
import { column, command, orNull, type Queryable, type RowOf, statement } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage, toPage } from '../platform/db/pages.ts';

type SettlementKind = 'gateway' | 'bank' | 'opening';
type SettlementState = 'read' | 'matched' | 'booked';
type SettledKind = 'payment' | 'refund' | 'dispute' | 'fee' | 'movement';
type LineMatch = 'none' | 'reference' | 'external' | 'proposed' | 'hand' | 'assumed';

export interface StoredSettlement {
  id: string;
  kind: SettlementKind;
  /** The gateway, or our bank account. */
  source: string;
  externalId: string;
  digest: string;
  paidAt: Date;
  reference: string | null;
  unit: string;
  units: bigint;
  fee: bigint | null;
  hasLines: boolean;
  state: SettlementState;
  documentId: string | null;
  bank: string | null;
  bookedBy: string | null;
  bookedAt: Date | null;
  createdBy: string;
  createdAt: Date;
  lines: number;
  openLines: number;
}

export interface StoredLine {
  number: number;
  kind: SettledKind;
  reference: string | null;
  externalId: string | null;
  /** `2026-11-17`. */
  day: string;
  text: string | null;
  gross: bigint;
  fee: bigint;
  match: LineMatch;
  problem: 'differs' | 'twice' | 'not-paid' | 'payout-waits' | null;
  settles: string | null;
  orderId: string | null;
  ours: Money | null;
  rate: Money | null;
}

/** True for a line that was matched for certain or by a person; a proposal does not count. */
export const isAgreed = ({ match }: Pick<StoredLine, 'match'>): boolean => match !== 'none' && match !== 'proposed';

const COLUMNS = `settlement.id, kind, source, external_id as "externalId", digest, paid_at as "paidAt", reference, unit, units::text as units,
  fee::text as fee, has_lines as "hasLines", state, document_id as "documentId", bank, booked_by as "bookedBy",
  booked_at as "bookedAt", created_by as "createdBy", created_at as "createdAt",
  (select count(*) from settlement_line line where line.settlement_id = settlement.id) as lines,
  (select count(*) from settlement_line line where line.settlement_id = settlement.id and match in ('none', 'proposed') and line.kind <> 'fee') as "openLines"`;

const settlementRow = {
  id: column.text,
  kind: column.textOf<SettlementKind>(),
  source: column.text,
  externalId: column.text,
  digest: column.text,
  paidAt: column.timestamp,
  reference: orNull(column.text),
  unit: column.text,
  units: column.text,
  fee: orNull(column.text),
  hasLines: column.boolean,
  state: column.textOf<SettlementState>(),
  documentId: orNull(column.text),
  bank: orNull(column.text),
  bookedBy: orNull(column.text),
  bookedAt: orNull(column.timestamp),
  createdBy: column.text,
  createdAt: column.timestamp,
  lines: column.bigint,
  openLines: column.bigint,
};
type Row = RowOf<typeof settlementRow>;

function toSettlement(row: Row): StoredSettlement {
  const { units, fee, lines, openLines } = row;
  return {
    ...row,
    units: BigInt(units),
    fee: fee === null ? null : BigInt(fee),
    lines: Number(lines),
    openLines: Number(openLines),
  };
}

const SETTLEMENT = statement(settlementRow, `select ${COLUMNS} from settlement where id = $1`);
const LOCKED_SETTLEMENT = statement(settlementRow, `${SETTLEMENT.text} for update of settlement`);

export async function findSettlement(db: Queryable, id: string, lock = false): Promise<StoredSettlement> {
  const row = await (lock ? LOCKED_SETTLEMENT : SETTLEMENT).first(db, [id]);
  return row ? toSettlement(row) : noSuch('settlement', id);
}

const SETTLEMENT_CALLED = statement(
  settlementRow,
  `select ${COLUMNS} from settlement where kind = $1 and source = $2 and external_id = $3`,
);

/** The settlement with this id of theirs. */
export async function findByExternalId(
  db: Queryable,
  { kind, source, externalId }: Pick<StoredSettlement, 'kind' | 'source' | 'externalId'>,
): Promise<StoredSettlement | undefined> {
  const row = await SETTLEMENT_CALLED.first(db, [kind, source, externalId]);
  return row && toSettlement(row);
}

export interface SettlementFilter {
  kind?: SettlementKind | undefined;
  source?: string | undefined;
  state?: SettlementState | undefined;
}

const SETTLEMENTS = statement(
  settlementRow,
  `select ${COLUMNS} from settlement
   where ($1::text is null or kind = $1) and ($2::text is null or source = $2) and ($3::text is null or state = $3)
     and ($4::timestamptz is null or (paid_at, id) < ($4, $5))
   order by paid_at desc, id desc limit $6`,
);

export async function listSettlements(
  db: Queryable,
  { kind, source, state }: SettlementFilter,
  page: PageRequest,
): Promise<Page<StoredSettlement>> {
  const start = startOfPage(page) ?? refuseCursor();
  const rows = await SETTLEMENTS.rows(db, [
    kind ?? null,
    source ?? null,
    state ?? null,
    start.time,
    start.id,
    start.fetch,
  ]);
  return toPage(rows.map(toSettlement), start, ({ paidAt, id }) => ({ time: paidAt, id }));
}

type NewSettlement = Omit<
  StoredSettlement,
  'state' | 'documentId' | 'bank' | 'bookedBy' | 'bookedAt' | 'lines' | 'openLines'
>;

const INSERT_SETTLEMENT =
  command(`insert into settlement (id, kind, source, external_id, digest, paid_at, reference, unit, units, fee, has_lines, state, created_by, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'read', $12, $13)`);

export async function insertSettlement(tx: Queryable, made: NewSettlement): Promise<void> {
  await INSERT_SETTLEMENT.run(tx, [
    made.id,
    made.kind,
    made.source,
    made.externalId,
    made.digest,
    made.paidAt,
    made.reference,
    made.unit,
    String(made.units),
    made.fee === null ? null : String(made.fee),
    made.hasLines,
    made.createdBy,
    made.createdAt,
  ]);
}

export interface NewLine
  extends Pick<StoredLine, 'kind' | 'reference' | 'externalId' | 'day' | 'text' | 'gross' | 'fee'> {
  fingerprint: string | null;
}

const INSERT_SETTLEMENT_LINES = statement(
  { number: column.int },
  `insert into settlement_line (settlement_id, number, kind, reference, external_id, day, text, gross, fee, fingerprint)
   select $1, number, kind, reference, external_id, day::date, text, gross::numeric, fee::numeric, fingerprint
   from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
     with ordinality as line (kind, reference, external_id, day, text, gross, fee, fingerprint, number)
   on conflict (fingerprint) where fingerprint is not null do nothing returning number`,
);

/**
 * Inserts all lines with one statement. Lines of a bank statement that were read before are left out; returns how many
 * were written.
 */
export async function insertLines(tx: Queryable, settlementId: string, lines: readonly NewLine[]): Promise<number> {
  const each = (of: (line: NewLine) => string | null) => lines.map(of);
  const written = await INSERT_SETTLEMENT_LINES.rows(tx, [
    settlementId,
    each(({ kind }) => kind),
    each(({ reference }) => reference),
    each(({ externalId }) => externalId),
    each(({ day }) => day),
    each(({ text }) => text),
    each(({ gross }) => String(gross)),
    each(({ fee }) => String(fee)),
    each(({ fingerprint }) => fingerprint),
  ]);
  return written.length;
}

const lineRow = {
  number: column.int,
  kind: column.textOf<SettledKind>(),
  reference: orNull(column.text),
  externalId: orNull(column.text),
  day: column.text,
  text: orNull(column.text),
  gross: column.text,
  fee: column.text,
  match: column.textOf<LineMatch>(),
  problem: orNull(column.textOf<NonNullable<StoredLine['problem']>>()),
  settles: orNull(column.text),
  orderId: orNull(column.text),
  ours: orNull(column.text),
  rate: orNull(column.text),
};
type LineRow = RowOf<typeof lineRow>;

const LINE_COLUMNS = `number, kind, reference, external_id as "externalId", to_char(day, 'YYYY-MM-DD') as day, text, gross::text as gross,
  fee::text as fee, match, problem, settles, order_id as "orderId", ours::text as ours, rate::text as rate`;

function toLine({ gross, fee, ours, rate, ...row }: LineRow): StoredLine {
  const amountOrNull = (value: string | null) => (value === null ? null : money(BigInt(value)));
  return { ...row, gross: BigInt(gross), fee: BigInt(fee), ours: amountOrNull(ours), rate: amountOrNull(rate) };
}

const LINES_OF_SETTLEMENT = statement(
  lineRow,
  `select ${LINE_COLUMNS} from settlement_line where settlement_id = $1 order by number`,
);

export async function allLines(db: Queryable, settlementId: string): Promise<StoredLine[]> {
  const rows = await LINES_OF_SETTLEMENT.rows(db, [settlementId]);
  return rows.map(toLine);
}

export interface LineFilter {
  /** `agree`: both sides have it. `theirs`: they have it and we do not, or it is only a guess. */
  list: 'agree' | 'theirs';
  after: number;
  limit: number;
}

const PAGE_OF_LINES = statement(
  lineRow,
  `select ${LINE_COLUMNS} from settlement_line
   where settlement_id = $1 and number > $2 and (match in ('none', 'proposed') and kind <> 'fee') = ($3 = 'theirs')
   order by number limit $4`,
);

export async function pageOfLines(db: Queryable, settlementId: string, filter: LineFilter): Promise<StoredLine[]> {
  const rows = await PAGE_OF_LINES.rows(db, [settlementId, filter.after, filter.list, filter.limit]);
  return rows.map(toLine);
}

const REFRESH_STATE = command(`update settlement set state = case when exists (
     select from settlement_line where settlement_id = $1 and match in ('none', 'proposed') and kind <> 'fee') then 'read' else 'matched' end
   where id = $1 and state <> 'booked'`);

/** Sets `matched` where nothing is left open. A booked settlement stays booked. */
export async function refreshState(tx: Queryable, settlementId: string): Promise<void> {
  await REFRESH_STATE.run(tx, [settlementId]);
}

const MARK_BOOKED = command(
  `update settlement set state = 'booked', document_id = $2, bank = $3, booked_by = $4, booked_at = $5 where id = $1`,
);

export async function markBooked(
  tx: Queryable,
  id: string,
  done: { documentId: string | null; bank: string | null; by: string; at: Date },
): Promise<void> {
  await MARK_BOOKED.run(tx, [id, done.documentId, done.bank, done.by, done.at]);
}
