-- Bills of providers, beside what was counted while their models answered.
create table provider_bill (
  id             text primary key,
  provider       text not null,
  -- The bill's own number: one bill for ever.
  number         text not null,
  dated_on       date not null,
  -- The days that it is about, both of them included.
  first_day      date not null,
  last_day       date not null,
  -- As the bill says it, and in micro-toman at the rate of whoever entered it.
  unit           text not null,
  units          numeric(38, 6) not null check (units > 0),
  amount         numeric(38, 0) not null check (amount > 0),
  -- What the books had counted for these days when the bill was entered, in micro-toman.
  accrued        numeric(38, 0) not null,
  state          text not null check (state in ('open', 'paid')),
  payment_id     text,
  paid_by        text,
  paid_at        timestamptz,
  note           text,
  created_by     text not null,
  created_at     timestamptz not null
);
create unique index provider_bill_once on provider_bill (provider, number);
create index provider_bill_newest on provider_bill (dated_on desc, id desc);
