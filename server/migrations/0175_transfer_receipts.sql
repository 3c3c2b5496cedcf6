-- What a customer says about a bank transfer that was made for an order: the bank's number, the day, and where the money came
-- from. It credits nothing; staff hold it against the bank's statement.
create table transfer_receipt (
  order_id   text primary key references payment_order (id),
  account_id text not null,
  number     text not null,
  paid_on    date not null,
  -- An IBAN, or a card with its middle digits hidden; null when the customer did not say.
  paid_from  text,
  -- How often it was sent; a mistake may be corrected a few times.
  sent       integer not null default 1,
  sent_by    text not null,
  sent_at    timestamptz not null
);
create index transfer_receipt_of_account on transfer_receipt (account_id, number);
