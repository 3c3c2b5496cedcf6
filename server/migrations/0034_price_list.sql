-- Lists of models and list prices that were fetched or handed in. The one in force stands in place of the shipped list; one that
-- is announced comes into force at its time.
create table price_list (
  id            text primary key,
  seq           bigint generated always as identity,
  -- The address it was fetched from, or 'document'.
  origin        text not null,
  state         text not null check (state in ('proposed', 'announced', 'applied', 'replaced')),
  models        jsonb not null,
  created_at    timestamptz not null,
  -- From when it counts: of those announced and applied.
  effective_at  timestamptz,
  applied_at    timestamptz
);

-- An announced list leaves the model out from then on.
alter table model add column withdrawn_from timestamptz;
