-- Money that comes in: gateways with their secrets, orders with every change of their state, gift codes, the play bank.

create table payment_gateway (
  id          text primary key,
  enabled     boolean not null,
  -- {field: text}, encrypted with the master key; null while no secret was given.
  sealed      text,
  options     jsonb not null default '{}',
  updated_at  timestamptz not null
);

-- An order is bound to its gateway, account and amounts when it is made; only its state moves.
create table payment_order (
  id             text primary key,
  account_id     text not null references account (id),
  gateway        text not null,
  -- Micro-toman: what the wallet gets, and the tax that is paid on top of it.
  amount         numeric(38, 0) not null check (amount > 0),
  vat            numeric(38, 0) not null check (vat >= 0),
  -- What the gateway collects, in its own unit (IRR, IRT, or the minor unit of another currency).
  units          numeric(38, 0) not null check (units > 0),
  unit           text not null,
  state          text not null check (state in ('created', 'sent', 'returned', 'paid', 'credited', 'failed', 'expired', 'refunded')),
  -- The gateway's name for this payment.
  external_id    text,
  redirect_url   text,
  -- What the gateway says about a payment that was made: its reference, the masked card.
  reference      text,
  card           text,
  -- Why the order is where it is, as a word: refused, amount-differs, unreachable, …
  problem        text,
  created_by     text not null,
  language       text not null,
  checks         integer not null default 0,
  -- When the reconciler asks next; null when nothing is left to ask.
  next_check_at  timestamptz,
  -- Somebody asks the gateway right now, until then.
  checking_until timestamptz,
  expires_at     timestamptz not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
-- The lock against two credits for one payment, whatever the gateway answers the second time.
create unique index payment_order_of_gateway on payment_order (gateway, external_id) where external_id is not null;
create index payment_order_of_account on payment_order (account_id, created_at desc, id desc);
create index payment_order_newest on payment_order (created_at desc, id desc);
create index payment_order_unfinished on payment_order (next_check_at) where next_check_at is not null;
create index payment_order_by_reference on payment_order (gateway, reference) where reference is not null;

-- Append-only: how an order came to its state.
create table payment_event (
  seq         bigint generated always as identity primary key,
  order_id    text not null references payment_order (id),
  at          timestamptz not null,
  from_state  text,
  to_state    text not null,
  cause       text not null,
  detail      jsonb not null default '{}'
);
create index payment_event_of_order on payment_event (order_id, seq);

-- Signed messages of gateways that were taken; a replay finds its id here.
create table payment_webhook (
  gateway     text not null,
  event_id    text not null,
  received_at timestamptz not null,
  primary key (gateway, event_id)
);

-- Single use. The text of a code is shown once, when it is made; here is only its SHA-256.
create table gift_code (
  id           text primary key,
  batch        text not null,
  digest       bytea not null unique check (octet_length(digest) = 32),
  last4        text not null,
  amount       numeric(38, 0) not null check (amount > 0),
  note         text,
  expires_at   timestamptz,
  created_by   text not null,
  created_at   timestamptz not null,
  revoked_at   timestamptz,
  order_id     text unique references payment_order (id),
  redeemed_at  timestamptz
);
create index gift_code_newest on gift_code (created_at desc, id desc);

-- The play bank's own books: what its page was told to do. No money is behind it.
create table sandbox_payment (
  id          text primary key,
  units       numeric(38, 0) not null,
  return_url  text not null,
  order_id    text not null,
  state       text not null check (state in ('waiting', 'paid', 'refused')),
  language    text not null,
  created_at  timestamptz not null
);
