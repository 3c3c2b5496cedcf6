-- Access that staff close: no key of the account works until then, its money stays. `blocked_until` null: until somebody opens it again.
-- 0.1.0 neither reads nor writes these columns.
alter table account add column blocked_at timestamptz;
alter table account add column blocked_until timestamptz;
alter table account add column blocked_reason text;
alter table account add column blocked_by text;
-- Few accounts are blocked, and a replica that missed the news asks for all of them.
create index account_blocked on account (id) where blocked_at is not null;
