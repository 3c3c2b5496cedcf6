-- What prices are made of, and when: a price version says by which rate and margin it was made, and rates and margins have
-- dates, so that a change can be announced and comes into force on every replica at its moment.

alter table price
  -- Of two with one date, the one made later.
  add column seq            bigint generated always as identity,
  -- Other prices for long prompts: [{above: tokens, per_unit: {field: text}}], ascending.
  add column tiers          jsonb not null default '[]',
  -- USD list price it was made from; null for a price that somebody wrote in toman.
  add column list           jsonb,
  add column exchange_rate  text,
  add column margin         text,
  add column margin_layer   text check (margin_layer in ('global', 'vendor', 'model')),
  -- An announced price that will not come; set before it is in force or never.
  add column withdrawn_at   timestamptz;

create or replace function price_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.withdrawn_at is null and new.withdrawn_at < old.effective_at
    and (to_jsonb(new) - 'withdrawn_at') = (to_jsonb(old) - 'withdrawn_at') then
    return new;
  end if;
  raise exception 'price versions are never changed or deleted: add a new one';
end $$;

-- The exchange rate and the margins of each layer. The newest row of (kind, layer, subject) that is in force counts.
create table pricing_term (
  id            text primary key,
  -- Of two with one date, the one given later.
  seq           bigint generated always as identity,
  kind          text not null check (kind in ('rate', 'margin')),
  layer         text not null check (layer in ('global', 'vendor', 'model')),
  -- Vendor or model; '' for the global layer.
  subject       text not null default '',
  -- Decimal text; null takes a margin of this layer away.
  value         text,
  -- 'hand' or the address it was read from.
  origin        text not null default 'hand',
  effective_at  timestamptz not null,
  created_at    timestamptz not null,
  withdrawn_at  timestamptz
);
create index pricing_term_of_subject on pricing_term (kind, layer, subject, effective_at desc, seq desc);

-- The most specific margin: decimal text; null: the layers below decide.
alter table account add column margin text;
