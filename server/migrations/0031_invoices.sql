-- Invoices. Numbers have no gaps: the series' row is locked by the transaction that issues, and a rollback gives its number back.

create table invoice_series (
  year  integer primary key,
  last  integer not null
);

create table invoice (
  id               text primary key,
  year             integer not null,
  number           integer not null,
  kind             text not null check (kind in ('invoice', 'credit-note')),
  account_id       text not null references account (id),
  order_id         text references payment_order (id),
  corrects         text references invoice (id),
  -- Seller, buyer and lines as they were on that day.
  content          jsonb not null,
  amount           numeric(38, 0) not null,
  vat              numeric(38, 0) not null,
  vat_basis_points integer not null,
  issued_at        timestamptz not null,
  unique (year, number),
  unique (order_id, kind)
);
create index invoice_of_account on invoice (account_id, issued_at desc, id desc);
create index invoice_newest on invoice (issued_at desc, id desc);

create function invoice_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'an invoice is never changed or deleted: issue a credit note';
end $$;
create trigger invoice_append_only before update or delete on invoice
  for each row execute function invoice_is_append_only();

-- Who invoices of an account are made out to.
create table legal_identity (
  account_id  text primary key references account (id),
  identity    jsonb not null,
  updated_at  timestamptz not null
);
