-- Lists of models and list prices that were fetched or handed in. The one applied last stands in place of the shipped list.
create table price_list (
  id          text primary key,
  seq         bigint generated always as identity,
  -- The address it was fetched from, or 'document'.
  origin      text not null,
  state       text not null check (state in ('proposed', 'applied', 'replaced')),
  models      jsonb not null,
  created_at  timestamptz not null,
  applied_at  timestamptz
);
