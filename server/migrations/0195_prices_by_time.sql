-- Changes of prices are read newest first, over all models: without it every reader would sort the prices of years.
create index price_by_time on price (effective_at desc, seq desc);
