-- Where a row stands on its way out: draining (no new request), off, retired (hidden; history keeps its name). Null: as `enabled`
-- says, which the version before reads and writes; it stays true for whatever may answer.
alter table provider add column state text check (state in ('draining', 'off', 'retired'));
alter table model add column state text check (state in ('draining', 'off', 'retired'));
alter table route add column state text check (state in ('draining', 'off', 'retired'));

-- When somebody last tried the provider step by step, and whether every step passed.
alter table provider add column tested_at timestamptz;
alter table provider add column tested_ok boolean;

-- When a request last went there, within the hour; null: never, as far as this version knows.
alter table provider add column last_used_at timestamptz;
alter table route add column last_used_at timestamptz;

-- What the route may carry, counted by each replica for itself; null: no limit.
alter table route add column max_concurrent integer check (max_concurrent > 0);
alter table route add column requests_per_minute integer check (requests_per_minute > 0);
alter table route add column tokens_per_minute integer check (tokens_per_minute > 0);

-- What `cost` was made from: 'file', 'own', 'factor' or 'list'; null: nobody knows, or the version before wrote it.
alter table route add column cost_source text check (cost_source in ('file', 'own', 'factor', 'list'));
