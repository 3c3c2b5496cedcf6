-- Profit is read from sums of days that outlive the request log, and what failed costs too (ADR 0045).

-- The same as money_day without accounts, and without models and providers: a year is read in a moment, however many accounts
-- there are. Both are made when a day is sealed.
create table money_model_day (
  day                   date not null,
  model                 text not null,
  provider              text not null,
  requests              bigint not null,
  revenue               numeric(38, 0) not null,
  refunded              numeric(38, 0) not null,
  cost                  numeric(38, 0) not null,
  cost_unknown_requests bigint not null,
  revenue_unknown_cost  numeric(38, 0) not null,
  waste                 numeric(38, 0) not null,
  primary key (day, model, provider)
);
create table money_account_day (
  day                   date not null,
  account_id            text not null,
  requests              bigint not null,
  revenue               numeric(38, 0) not null,
  refunded              numeric(38, 0) not null,
  cost                  numeric(38, 0) not null,
  cost_unknown_requests bigint not null,
  revenue_unknown_cost  numeric(38, 0) not null,
  waste                 numeric(38, 0) not null,
  primary key (day, account_id)
);
create index money_account_day_of_account on money_account_day (account_id, day);

insert into money_model_day
select day, model, provider, sum(requests), sum(revenue), sum(refunded), sum(cost), sum(cost_unknown_requests), sum(revenue_unknown_cost), 0
from money_day group by day, model, provider;
insert into money_account_day
select day, account_id, sum(requests), sum(revenue), sum(refunded), sum(cost), sum(cost_unknown_requests), sum(revenue_unknown_cost), 0
from money_day group by day, account_id;

alter table walk_money add column waste numeric(38, 0) not null default 0;

-- What failed is booked from the first day on that ends under this version: what 0.1.0 left out of its books stays out of them.
create table cost_clock (
  only_row   boolean primary key default true check (only_row),
  waste_from date not null
);
insert into cost_clock (waste_from) values (home_day(now()));
