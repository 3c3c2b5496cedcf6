-- The six counters of a request are named after its key and its account, which stand beside them in the row. Written out they
-- were a fifth of it. `*:daily:2026-11-15` is that period's counter of both; any other name is a counter as it stands.
create function spend_counters(counters text, key_id text, account_id text) returns setof text language sql immutable as $$
  select budget
  from string_to_table(counters, ' ') as name
  cross join unnest(
    case when name like '*:%'
      then array['cap:key:' || key_id || substr(name, 2), 'cap:account:' || account_id || substr(name, 2)]
      else array[name]
    end) as budget
$$;
