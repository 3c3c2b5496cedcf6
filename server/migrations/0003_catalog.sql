-- Who serves which model, at what price. `managed_by`: 'config' (the YAML file; read-only elsewhere), 'environment'
-- (switched on by a variable or found on this machine), 'catalog' (our own list), 'operator' (made or taken over by hand).

create table provider (
  id              text primary key,
  vendor          text not null,
  protocol        text not null,
  base_url        text not null,
  auth            text not null,
  headers         jsonb not null default '{}',
  quirks          jsonb not null default '{}',
  -- Only what differs from the operator's defaults.
  timeouts        jsonb not null default '{}',
  max_concurrent  integer check (max_concurrent > 0),
  transport       text not null default 'http' check (transport in ('http', 'sandbox')),
  managed_by      text not null check (managed_by in ('config', 'environment', 'catalog', 'operator')),
  -- The operator's switch; start-up never changes it.
  enabled         boolean not null default true,
  -- Start-up's switch: false while its variable is unset or its server was not found.
  present         boolean not null default true,
  created_at      timestamptz not null,
  updated_at      timestamptz not null
);

create table provider_credential (
  id           text primary key,
  provider_id  text not null references provider (id) on delete cascade,
  -- Encrypted with the master key.
  sealed       text not null,
  managed_by   text not null default 'operator' check (managed_by in ('config', 'environment', 'operator')),
  created_at   timestamptz not null
);
create index provider_credential_of_provider on provider_credential (provider_id);

create table model (
  id            text primary key,
  kind          text not null check (kind in ('chat', 'embedding', 'speech', 'transcription')),
  name          text not null,
  name_fa       text,
  context       integer check (context > 0),
  max_output    integer check (max_output > 0),
  capabilities  jsonb not null default '[]',
  categories    jsonb not null default '[]',
  hedge         boolean not null default false,
  simulated     boolean not null default false,
  managed_by    text not null check (managed_by in ('config', 'environment', 'catalog', 'operator')),
  enabled       boolean not null default true,
  created_at    timestamptz not null,
  updated_at    timestamptz not null
);

create table route (
  model_id        text not null references model (id) on delete cascade,
  provider_id     text not null references provider (id) on delete cascade,
  upstream_model  text not null,
  priority        integer not null default 1,
  weight          integer not null default 1 check (weight > 0),
  quirks          jsonb not null default '{}',
  -- What the provider charges us: {per_unit: {field: text}, per_request: text}; null when unknown.
  cost            jsonb,
  managed_by      text not null check (managed_by in ('config', 'environment', 'catalog', 'operator')),
  primary key (model_id, provider_id, upstream_model)
);
create index route_of_provider on route (provider_id);

-- Append-only: a charge names the version it was made by, so versions outlive their model. Hence no foreign key.
create table price (
  version       text primary key,
  model_id      text not null,
  -- Micro-toman per unit (= toman per million units) as decimal text by price field.
  per_unit      jsonb not null,
  per_request   bigint not null default 0 check (per_request >= 0),
  effective_at  timestamptz not null,
  source        text not null check (source in ('config', 'environment', 'catalog', 'operator')),
  created_at    timestamptz not null
);
create index price_of_model on price (model_id, effective_at desc, version desc);

create function price_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'price versions are never changed or deleted: add a new one';
end $$;
create trigger price_append_only before update or delete on price
  for each row execute function price_is_append_only();

create table model_group (
  id             text primary key,
  name           text not null,
  name_fa        text,
  default_model  text not null,
  managed_by     text not null check (managed_by in ('config', 'environment', 'catalog', 'operator')),
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);

create table group_model (
  group_id  text not null references model_group (id) on delete cascade,
  -- No foreign key: a group may name a model whose provider comes and goes.
  model_id  text not null,
  primary key (group_id, model_id)
);
