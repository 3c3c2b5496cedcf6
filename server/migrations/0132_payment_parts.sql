-- Refunds in parts, which bank account the money came to, and what the gateway keeps of it.
alter table payment_order
  -- Of a bank transfer: the id of our account; its book is bank:<id>.
  add column bank text,
  -- What the gateway says it keeps of this payment at our cost, in micro-toman. Null: it did not say.
  add column fee numeric(38, 0),
  -- The book that the money of a whole refund leaves. Null for those of 0.1.0.
  add column refund_from text;

-- A part of an order that goes back. The refund of a whole order stands in the order's own row (0095).
create table payment_refund (
  order_id       text not null references payment_order (id),
  -- Of one series with payment_order.refund_number: the gateway and the ledger know each refund by it.
  number         integer not null,
  -- Credit that was taken, the tax on it, and what the gateway sends, all exact: the parts add up to the order.
  amount         numeric(38, 0) not null check (amount > 0),
  vat            numeric(38, 0) not null check (vat >= 0),
  units          numeric(38, 0) not null check (units >= 0),
  unit           text not null,
  -- The book that the money leaves: gateway:<id>, bank:<id> or play-money.
  source         text not null,
  -- As payment_order.refund_state; undone: it was not sent, and the credit was given back.
  state          text not null check (state in ('sending', 'sent', 'refused', 'unknown', 'undone')),
  tries          integer not null default 0,
  code           text,
  reference      text,
  reason         text not null,
  created_by     text not null,
  began_at       timestamptz not null,
  updated_at     timestamptz not null,
  next_check_at  timestamptz,
  checking_until timestamptz,
  primary key (order_id, number)
);
create index payment_refund_unfinished on payment_refund (next_check_at) where next_check_at is not null;
create index payment_refund_for_staff on payment_refund (order_id) where state in ('refused', 'unknown');

-- The order of a credit note for a part of it; order_id is then null, because an order has one credit note there.
alter table invoice add column part_of_order text references payment_order (id);
create index invoice_parts on invoice (part_of_order) where part_of_order is not null;
