/**
 * What must hold in closed months: they are as they were when they were closed, and nothing was booked into them since.
 */

/** An SQL term: the fingerprint of the daily sums from one day to another. */
export const monthSumsDigest = (firstDay: string, lastDay: string): string => `(
  select coalesce(encode(sha256(convert_to(string_agg(concat_ws('|', day::text, debit, credit, kind, transfers::text, amount::text), chr(10)
    order by day, debit collate "C", credit collate "C", kind collate "C"), 'UTF8')), 'hex'), '')
  from ledger_day where day between ${firstDay} and ${lastDay})`;

const CLOSED = `ledger_period period where state = 'closed'`;
const SEALED = (column: string) =>
  `(select coalesce(sum(seal.${column}), 0) from ledger_seal seal where seal.day between period.first_day and period.last_day)`;

export const CLOSED_MONTHS = {
  id: 'closed-months',
  name: 'closed months are as they were closed, one after the other',
  seen: () => `select count(*) as seen from ${CLOSED}`,
  faults: () => `
    select period.id as about, (select chain from ledger_seal where day = period.last_day) as written, period.chain as expected
    from ${CLOSED} and (select chain from ledger_seal where day = period.last_day) is distinct from period.chain
    union all
    select period.id, ${SEALED('transfers')}::text || ' transfers', period.transfers::text || ' transfers'
    from ${CLOSED} and ${SEALED('transfers')} <> period.transfers
    union all
    select period.id, ${SEALED('amount')}::text, period.amount::text from ${CLOSED} and ${SEALED('amount')} <> period.amount
    union all
    select period.id, 'other daily sums', 'those it was closed with'
    from ${CLOSED} and ${monthSumsDigest('period.first_day', 'period.last_day')} <> period.sums_digest
    union all
    select period.id, 'books that are open from ' || open_from::text, 'a later day'
    from ledger_clock, ${CLOSED} and open_from <= period.last_day
    union all
    select period.id, period.first_day::text, (former.last_day + 1)::text
    from (select *, lag(id) over (order by first_day) as former_id from ledger_period where state = 'closed') as period
    join ledger_period former on former.id = period.former_id and former.last_day + 1 <> period.first_day`,
};
