-- Papers behind entries. An event with several lines is several transfers of one document.
create table document (
  id          text primary key,
  kind        text not null,
  -- The paper's own date, which may be long before it was booked.
  dated_on    date not null,
  -- The bank's, the gateway's or the bill's number.
  number      text,
  -- Whose paper it is: an account, a provider, a gateway, a bank.
  party       text,
  note        text,
  attachment  text,
  created_by  text not null,
  approved_by text,
  -- The document that this one takes back.
  reverses    text,
  created_at  timestamptz not null
);
create index document_newest on document (created_at desc, id desc);
create index document_number on document (kind, number) where number is not null;

create function document_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'document is append-only: write a document that reverses it';
end
$$;
create trigger document_append_only before update or delete or truncate on document
  for each statement execute function document_is_append_only();

-- All null for charges. `units` of `unit` are the foreign side of a leg in `fx:<currency>`.
alter table ledger_transfer
  add column document_id text,
  add column units numeric(38, 6),
  add column unit text;
create index ledger_transfer_of_document on ledger_transfer (document_id) where document_id is not null;

-- One row: since when the chart of accounts is in use. Null while entries are booked as 0.1.0 books them, which is until no process
-- of it is connected any more. A database without entries has nothing to move.
create table chart_cut_over (
  only_row  boolean primary key default true check (only_row),
  done_at   timestamptz
);
insert into chart_cut_over (done_at)
select case when not exists (select from ledger_transfer) then now() end;
