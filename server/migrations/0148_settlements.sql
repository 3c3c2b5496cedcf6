-- What gateways and banks say they paid, line by line, beside what our books say (ADR 0044).
create table settlement (
  id           text primary key,
  -- `gateway`: a payout of a gateway. `bank`: lines of a bank statement. `opening`: what a gateway had paid before the books began.
  kind         text not null check (kind in ('gateway', 'bank', 'opening')),
  -- The gateway's id, or that of our bank account; with the id that they gave it, it is one settlement for ever.
  source       text not null,
  external_id  text not null,
  -- A digest of what was read: the same again changes nothing, another content under the same id is refused.
  digest       text not null,
  paid_at      timestamptz not null,
  -- The bank's number of the payout.
  reference    text,
  -- What arrived, and what they say they kept of it, in whole units of `unit`; null where they do not say.
  unit         text not null,
  units        numeric(38, 0) not null,
  fee          numeric(38, 0),
  -- False where only sums are told: its lines are then our orders since the one before.
  has_lines    boolean not null,
  state        text not null check (state in ('read', 'matched', 'booked')),
  -- What was booked.
  document_id  text,
  bank         text,
  booked_by    text,
  booked_at    timestamptz,
  created_by   text not null,
  created_at   timestamptz not null
);
create unique index settlement_once on settlement (kind, source, external_id);
create index settlement_newest on settlement (paid_at desc, id desc);
create index settlement_open on settlement (kind) where state <> 'booked';

create table settlement_line (
  settlement_id text not null references settlement (id) on delete cascade,
  number        integer not null,
  kind          text not null check (kind in ('payment', 'refund', 'dispute', 'fee', 'movement')),
  -- Theirs: the reference of the payment, their own id for the line, its day, its text.
  reference     text,
  external_id   text,
  day           date not null,
  text          text,
  -- In units of the settlement; negative for what left. Net is gross less fee.
  gross         numeric(38, 0) not null,
  fee           numeric(38, 0) not null,
  -- How it was found: by our reference, by the external id, by amount and day (a proposal, until somebody confirms it), by hand,
  -- or assumed where they tell only sums.
  match         text not null default 'none' check (match in ('none', 'reference', 'external', 'proposed', 'hand', 'assumed')),
  -- Why it was not: the amounts differ, another settlement has it, the order is not paid here, a payout that is not booked yet.
  problem       text check (problem in ('differs', 'twice', 'not-paid', 'payout-waits')),
  -- What of ours it is: `payment:<order>`, `refund:<order>:<number>`, `dispute:<id>`, `document:<id>`.
  settles       text,
  order_id      text,
  -- What our books hold for it, in micro-toman, and the rate that the order was made at.
  ours          numeric(38, 0),
  rate          numeric(38, 0),
  -- Of a line of a bank statement: files overlap, and a line is taken once.
  fingerprint   text,
  primary key (settlement_id, number)
);
-- Nothing of ours is settled twice. What is only proposed holds nothing.
create unique index settlement_line_settles on settlement_line (settles)
  where settles is not null and match in ('reference', 'external', 'hand', 'assumed');
create unique index settlement_line_once on settlement_line (fingerprint) where fingerprint is not null;
create index settlement_line_open on settlement_line (settlement_id, number) where match in ('none', 'proposed');

-- The columns of a file, as somebody named them the last time.
create table settlement_columns (
  source     text primary key,
  columns    jsonb not null,
  updated_at timestamptz not null
);

-- Orders that a gateway has not settled are looked for by gateway and time.
create index payment_order_of_gateway_newest on payment_order (gateway, created_at) where state in ('credited', 'refunded');
