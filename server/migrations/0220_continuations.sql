-- Of what a day cost without being sold: routes that went on with answers which others had broken off (ADR 0068).
alter table walk_money add column continuations numeric(38, 0) not null default 0;
