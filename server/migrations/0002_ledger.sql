-- The books and the spend counters.
-- Money is numeric(38,0) micro-toman: bigint would end at 9.2e12 toman, which the revenue account of a busy year can reach,
-- and an overflow there would stop all posting.

-- One row per party: wallet:<account>, revenue, cash, adjustments, opening, costs, provider:<id>.
-- posted = credits - debits. A wallet's posted is the customer's balance; the sum over all rows is always zero.
create table ledger_account (
  id text primary key,
  posted numeric(38, 0) not null,
  -- Grows with every change, so that an older report never overwrites a newer one.
  version bigint not null
) with (fillfactor = 70);

-- Append-only. No foreign keys: they would cost two look-ups per request; audit() looks for orphans instead.
create table ledger_transfer (
  id text primary key,
  seq bigint generated always as identity,
  debit text not null,
  credit text not null,
  amount numeric(38, 0) not null check (amount > 0),
  kind text not null,
  -- The customer whose wallet moved; null between our own accounts.
  account_id text,
  request_id text,
  price_version text,
  note text,
  created_at timestamptz not null,
  check (debit <> credit)
);
create index ledger_transfer_history on ledger_transfer (account_id, seq) where account_id is not null;
create index ledger_transfer_refunds on ledger_transfer (request_id) where kind = 'refund';

create function ledger_transfer_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'ledger_transfer is append-only: write a correcting transfer instead';
end
$$;
create trigger ledger_transfer_append_only before update or delete or truncate on ledger_transfer
  for each statement execute function ledger_transfer_is_append_only();

-- What was charged against each cap: id is the budget id with its period (cap:key:<id>:daily:2026-11-15).
create table spend_counter (
  id text primary key,
  spent numeric(38, 0) not null,
  version bigint not null
) with (fillfactor = 70);
