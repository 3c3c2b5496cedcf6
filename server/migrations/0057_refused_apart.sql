-- Requests that were refused cost nothing and answered nothing: beside the others they are counted apart.
alter table usage_daily add column refused bigint not null default 0;
-- When a key was last used, without a look into the log.
alter table usage_daily add column last_at timestamptz;
