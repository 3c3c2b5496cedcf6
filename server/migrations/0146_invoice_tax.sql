-- What the tax office knows of an invoice. An invoice without a row was not sent.
create table invoice_tax (
  invoice_id text primary key references invoice (id),
  state      text not null check (state in ('not-sent', 'sent', 'accepted', 'refused')),
  -- The 22 characters that the tax office knows it by.
  tax_number text unique,
  reference  text,
  message    text,
  updated_by text not null,
  updated_at timestamptz not null
);
create index invoice_tax_of_state on invoice_tax (state, invoice_id);
-- Real invoices by the day of issue; specimens have numbers below zero.
create index invoice_issued on invoice (issued_at, id) where number > 0;
-- The credit notes of an invoice.
create index invoice_corrects on invoice (corrects) where corrects is not null;
