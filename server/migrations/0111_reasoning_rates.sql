-- How fast models think while nothing of it is shown. A client that leaves pays for hidden reasoning by time, so what was
-- learned must survive a restart. Every replica adds what it saw since it last wrote.
create table reasoning_rate (
  account_id  text not null,
  model_id    text not null,
  -- Reasoning tokens that were measured; older ones fade out (server/src/reasoning/rates.ts).
  tokens      double precision not null check (tokens > 0),
  -- The sum of tokens × tokens a second: divided by `tokens` it is the rate.
  weighted    double precision not null check (weighted > 0),
  updated_at  timestamptz not null,
  primary key (account_id, model_id)
);
create index reasoning_rate_by_time on reasoning_rate (updated_at);

-- The rate of this model before an account has taught its own; null: the operator's setting `hidden_tokens_per_second`.
alter table model add column hidden_tokens_per_second integer check (hidden_tokens_per_second > 0);
