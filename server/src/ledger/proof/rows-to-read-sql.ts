/**
 * Which rows a check reads. The same check proves everything from the first row on, or only what came after the last
 * sealed day, added to the sums in the seals: only the sources differ. Each is SQL that may follow `from`, with an
 * alias after it.
 */
export interface RowsToRead {
  /** Rows of ledger_transfer. */
  transfers: string;
  /** Rows of request_log. */
  requests: string;
  /** `id, posted, charged`: the balance of each account before these rows, and what it had been charged. */
  balances: string;
  /** `id, spent`: the value of each spend counter before these rows. */
  spent: string;
  /** Rows of payment_order. */
  orders: string;
  /** Rows of invoice. */
  invoices: string;
}

/** Everything, without trusting a seal. It suits books that fit into one snapshot. */
export const ALL_ROWS: RowsToRead = {
  transfers: 'ledger_transfer',
  requests: 'request_log',
  balances: '(select null::text as id, 0::numeric as posted, 0::numeric as charged where false)',
  spent: 'spend_carried',
  orders: 'payment_order',
  invoices: 'invoice',
};

const UNSEALED_AT = `coalesce((select unsealed_at from ledger_clock), '-infinity'::timestamptz)`;
const UNSEALED_ID = `coalesce((select unsealed_id from ledger_clock), '')`;
const SEALED_TO = `coalesce((select sealed_to from ledger_clock), '-infinity'::date)`;

/**
 * Ends of ranges that leave nothing out. The planner takes an open range whose beginning it learns only when the statement runs
 * for a third of the table, and reads it whole; a closed one for half a percent, and goes by index. The ids of charges end here
 * too: those of other transfers come after them, whatever their time.
 */
const LAST_CHARGE_ID = `'req_ZZZZZZZZZZ'`;
const NEVER = `'infinity'::timestamptz`;
const inOpenTime = (column: string): string => `${column} >= ${UNSEALED_AT} and ${column} <= ${NEVER}`;
/** Late rows of open time are booked on open days. As a list that is made once: of these ranges the planner expects too few rows to join. */
const notLate = (id: string): string =>
  `${id} not in (select late.id from late_request late where late.booked_on > ${SEALED_TO} and late.booked_on <= 'infinity'::date)`;

const open = `t.*, home_day(t.created_at) as booked_on from ledger_transfer t where ${notLate('t.id')}`;
const late = `t.*, late.booked_on from late_request late join ledger_transfer t on t.id = late.id where late.booked_on > ${SEALED_TO}`;

/** Kinds with as many rows as there are requests. They touch no bank, gateway or tax. */
const OF_REQUESTS = `('charge', 'provider-cost')`;
/** Open transfers that do not belong to requests: few, with an index of their own. */
export const OPEN_BY_HAND = `(
    select ${open} and ${inOpenTime('t.created_at')} and t.kind not in ${OF_REQUESTS}
    union all
    select ${late} and t.kind not in ${OF_REQUESTS})`;

/**
 * What no seal contains yet, with the day of booking as `booked_on`. Charges are found by their id, which begins with
 * the time of the request; other transfers by their time; what came after its day was sealed by the list of late ones.
 */
export const OPEN_ROWS: RowsToRead = {
  transfers: `(
    select ${open} and t.created_at >= ${UNSEALED_AT} and t.kind = 'charge' and t.id >= ${UNSEALED_ID} and t.id <= ${LAST_CHARGE_ID}
    union all
    select ${open} and ${inOpenTime('t.created_at')} and t.kind <> 'charge'
    union all
    select ${late})`,
  requests: `(
    select r.*, home_day(r.created_at) as booked_on from request_log r where ${inOpenTime('r.created_at')} and ${notLate('r.id')}
    union all
    select r.*, late.booked_on from late_request late join request_log r on r.id = late.id where late.booked_on > ${SEALED_TO})`,
  balances: `(
    select a.id, sealed.posted, sealed.charged from ledger_account a cross join lateral (
      select b.posted, b.charged from ledger_balance b where b.id = a.id order by b.day desc limit 1) as sealed)`,
  spent: 'spend_sealed',
  orders: 'payment_order',
  invoices: 'invoice',
};

/** The same, but only those orders and invoices that changed since the last seal; this runs every few minutes. */
export const OPEN_ROWS_AND_ORDERS: RowsToRead = {
  ...OPEN_ROWS,
  orders: `(select p.* from payment_order p where ${inOpenTime('p.updated_at')})`,
  invoices: `(select i.* from invoice i where ${inOpenTime('i.issued_at')})`,
};
