-- How requests ended, per hour, for the status page. Every replica adds what it counted since it last wrote.
create table uptime_hour (
  model_id     text not null,
  -- '' for the model as customers met it, over all its routes; else one route of it.
  route        text not null,
  -- Begins with an hour of the clock in Tehran.
  hour         timestamptz not null,
  answered     bigint not null,
  failed       bigint not null,
  -- Answers by the time to their first token, in steps that grow (server/src/uptime/waiting-times.ts).
  first_token  integer[] not null,
  primary key (model_id, route, hour)
);
create index uptime_hour_by_hour on uptime_hour (hour);
