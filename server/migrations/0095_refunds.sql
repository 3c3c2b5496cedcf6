-- A refund is part of its order: what the ledger took back and what became of the money stand in one row, written in one
-- transaction, so that a process that dies between the two leaves something to go on with.

alter table payment_order
  -- Grows with every refund of the order; the gateway and the ledger know each by its own number.
  add column refund_number    integer not null default 0,
  -- sending: the gateway is to be asked, and is asked again until it answers. sent: the money went back.
  -- refused: the gateway said no. unknown: nobody can tell. Staff settle these two. Null: nothing was taken back.
  add column refund_state     text check (refund_state in ('sending', 'sent', 'refused', 'unknown')),
  -- Calls to the gateway that were begun, counted before each.
  add column refund_tries     integer not null default 0,
  -- What the gateway said last, and its own name for the refund.
  add column refund_code      text,
  add column refund_reference text,
  add column refund_began_at  timestamptz;
update payment_order set refund_number = 1, refund_state = 'sent', refund_began_at = updated_at where state = 'refunded';
alter table payment_order add check ((state = 'refunded') = (refund_state is not null));
create index payment_order_refunds on payment_order (refund_state) where refund_state in ('sending', 'refused', 'unknown');

-- Staff confirm a bank transfer by the bank's number: the same receipt does not pay for two orders.
create unique index payment_order_of_transfer on payment_order (reference) where gateway = 'bank-transfer' and reference is not null;
