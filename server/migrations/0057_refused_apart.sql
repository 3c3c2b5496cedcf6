-- Requests that were refused cost nothing and answered nothing: beside the others they are counted apart.
alter table usage_daily add column refused bigint not null default 0;
