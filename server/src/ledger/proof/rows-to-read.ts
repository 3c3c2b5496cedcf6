/**
 * Which rows a check reads. The same check proves everything from the first row on, or what came after the last sealed day on
 * top of the sums that the seals hold: only the sources differ. Each is SQL that may stand behind `from`, with an alias after it.
 */
export interface RowsToRead {
  /** Rows of ledger_transfer. */
  transfers: string;
  /** Rows of request_log. */
  requests: string;
  /** `id, posted, charged`: what each account held before these rows, and what it was charged until then. */
  balances: string;
  /** `id, spent`: what each spend counter held before these rows. */
  spent: string;
  /** Rows of payment_order. */
  orders: string;
  /** Rows of invoice. */
  invoices: string;
}

/** Everything, without trusting a seal. For books that fit into one snapshot. */
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
 * What no seal holds yet. Charges are found by their id, which begins with the time of the request; the others by their time;
 * what came after its day was sealed by the list of late ones.
 */
export const OPEN_ROWS: RowsToRead = {
  transfers: `(
    select t.* from ledger_transfer t where t.kind = 'charge' and t.id >= ${UNSEALED_ID} and t.created_at >= ${UNSEALED_AT}
      and not exists (select from late_request late where late.id = t.id)
    union all
    select t.* from ledger_transfer t where t.kind <> 'charge' and t.created_at >= ${UNSEALED_AT}
      and not exists (select from late_request late where late.id = t.id)
    union all
    select t.* from late_request late join ledger_transfer t on t.id = late.id where late.booked_on > ${SEALED_TO})`,
  requests: `(
    select r.* from request_log r where r.created_at >= ${UNSEALED_AT}
      and not exists (select from late_request late where late.id = r.id)
    union all
    select r.* from late_request late join request_log r on r.id = late.id where late.booked_on > ${SEALED_TO})`,
  balances: `(
    select a.id, sealed.posted, sealed.charged from ledger_account a cross join lateral (
      select b.posted, b.charged from ledger_balance b where b.id = a.id order by b.day desc limit 1) as sealed)`,
  spent: 'spend_sealed',
  orders: 'payment_order',
  invoices: 'invoice',
};

/** The same, and of orders and invoices only those that changed since the last seal: what is asked every few minutes. */
export const OPEN_ROWS_AND_ORDERS: RowsToRead = {
  ...OPEN_ROWS,
  orders: `(select p.* from payment_order p where p.updated_at >= ${UNSEALED_AT})`,
  invoices: `(select i.* from invoice i where i.issued_at >= ${UNSEALED_AT})`,
};
