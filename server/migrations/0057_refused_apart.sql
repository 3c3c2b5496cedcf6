-- Requests that were refused cost nothing and answered nothing: beside the others they are counted apart.
alter table usage_daily add column refused bigint not null default 0;
-- What went wrong is rare and looked for most: found without a walk through all that went well.
create index request_log_trouble on request_log (account_id, id) where state <> 'completed';
-- When a key was last used, without a look into the log.
alter table usage_daily add column last_at timestamptz;
