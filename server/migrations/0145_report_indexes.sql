-- Sales of unknown cost are looked for over months; where every cost is known, this index is empty.
create index money_day_unknown_cost on money_day (day) where cost_unknown_requests > 0;
