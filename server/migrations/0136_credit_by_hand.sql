-- What people and programs booked by hand, for their ceilings of a day and for the list that staff reads.
create table hand_entry (
  -- The first transfer of the entry; for gift codes their batch, for a confirmed transfer its order.
  id           text primary key,
  actor        text not null,
  kind         text not null,
  -- Null for gift codes, which are nobody's until they are redeemed.
  account_id   text,
  -- Micro-toman; positive into the wallet.
  amount       numeric(38, 0) not null,
  -- Which ceilings it counts for, and how much of them it takes: nothing where a second person approved it.
  family       text not null check (family in ('credit', 'receipt')),
  counted      numeric(38, 0) not null check (counted >= 0),
  -- The day in Tehran.
  day          date not null,
  -- The number of the paper, the reason of a correction, and the text that only staff reads.
  number       text,
  reason       text,
  note         text,
  -- Payer, bank, campaign, ticket, …, as the kind has them.
  detail       jsonb not null default '{}',
  -- Of a gift: the last day on which it can be used, and when what was left of it was taken back.
  last_day     date,
  ended_at     timestamptz,
  approval_id  text,
  approved_by  text,
  -- Nobody but the asker could approve it.
  alone        boolean not null default false,
  created_at   timestamptz not null
);
create index hand_entry_of_day on hand_entry (actor, day);
create index hand_entry_newest on hand_entry (created_at desc, id desc);
create index hand_entry_of_account on hand_entry (account_id, created_at desc, id desc) where account_id is not null;
create index hand_entry_number on hand_entry (number) where number is not null;
create index hand_entry_gifts on hand_entry (last_day) where last_day is not null and ended_at is null;

-- What a token may credit by one act and in one day, in micro-toman. An owner sets it; nothing before that.
alter table operator_token
  add column credit_act numeric(38, 0) not null default 0,
  add column credit_day numeric(38, 0) not null default 0;
