-- What providers charge us, as said by people. The newest statement that is in force counts: of a route its own price, of a
-- provider (`model_id` and `upstream_model` empty) its factor on list prices. `route.cost` is what follows from them today.
create table route_cost (
  id              text primary key,
  -- Of two with one date, the one said later.
  seq             bigint generated always as identity,
  provider_id     text not null,
  model_id        text not null default '',
  upstream_model  text not null default '',
  -- 'price': the amounts below. 'factor': of list prices. 'list': nothing of its own any more.
  kind            text not null check (kind in ('price', 'factor', 'list')),
  currency        text check (currency in ('toman', 'usd')),
  -- Decimal text by price field, per million units; {above, prices} in `tiers`.
  prices          jsonb,
  -- Decimal text: 0.88 is twelve per cent below the list.
  factor          text,
  source          text not null check (source in ('operator', 'before')),
  effective_at    timestamptz not null,
  created_at      timestamptz not null
);
create index route_cost_of_route on route_cost (provider_id, model_id, upstream_model, effective_at desc, seq desc);

create function route_cost_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'costs are never changed or deleted: say a new one';
end $$;
create trigger route_cost_append_only before update or delete on route_cost
  for each row execute function route_cost_is_append_only();
