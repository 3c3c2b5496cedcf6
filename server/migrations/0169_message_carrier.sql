-- Who carries messages to people, as entered on the web. What the environment sets stands above it and is not kept here.
create table message_carrier (
  id          text primary key,
  enabled     boolean not null,
  -- {field: text}, encrypted with the master key; null while no secret was given.
  sealed      text,
  options     jsonb not null default '{}',
  updated_at  timestamptz not null
);
