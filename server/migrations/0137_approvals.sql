-- Acts beyond the ceilings of who asked for them, until somebody else decides.
create table approval (
  id              text primary key,
  kind            text not null,
  -- What makes the act one act: two that wait never have the same.
  act             text not null,
  payload         jsonb not null,
  account_id      text not null,
  -- Micro-toman; positive into the wallet. The balance before is that of the moment of asking.
  amount          numeric(38, 0) not null,
  balance_before  numeric(38, 0) not null,
  reason          text not null,
  asked_by        text not null,
  state           text not null check (state in ('waiting', 'approved', 'refused', 'withdrawn', 'expired')),
  decided_by      text,
  decided_at      timestamptz,
  decision_note   text,
  alone           boolean not null default false,
  expires_at      timestamptz not null,
  created_at      timestamptz not null
);
create unique index approval_waiting on approval (act) where state = 'waiting';
create index approval_newest on approval (created_at desc, id desc);
