-- What people of an account set themselves: its own spend caps per day and month, beside those that staff set. The stricter counts.
-- 0.1.0 neither reads nor writes it: its replicas admit by the caps of staff alone while both run.
alter table account add column own_caps jsonb;
-- Who made a key, as the audit log names them; null where nobody wrote it down.
alter table api_key add column created_by text;
update api_key set created_by = (
  select e.actor from admin_event e where e.subject = api_key.id and e.action = 'key.create' order by e.at, e.id limit 1
) where created_by is null;
