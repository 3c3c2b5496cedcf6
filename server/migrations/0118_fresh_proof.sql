-- When the person of a session last proved again who they are. Null: never since they signed in, which was a proof too.
alter table session add column proved_at timestamptz;
