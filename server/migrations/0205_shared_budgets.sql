-- Budgets over several keys of an account: caps that all of them spend from together. Their counters are rows of spend_counter
-- (cap:budget:<id>:daily:2026-11-15), as those of keys are. 0.1.0 neither reads nor writes these tables: its replicas admit without
-- them while both run, and what they charge is not counted here.
create table shared_budget (
  id          text primary key,
  account_id  text not null references account (id) on delete cascade,
  name        text not null,
  caps        jsonb not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null
);
create index shared_budget_of_account on shared_budget (account_id, created_at, id);

create table shared_budget_key (
  budget_id   text not null references shared_budget (id) on delete cascade,
  key_id      text not null references api_key (id) on delete cascade,
  primary key (budget_id, key_id)
);
create index shared_budget_key_of_key on shared_budget_key (key_id);
