-- A code belongs to the number, whoever asked for it: a second message carries the same code. The seed and the master key
-- together give the code; a copy of this table alone does not tell it. Rows of the version before have none.
alter table sign_in_code add column seed bytea;
alter table sign_in_code add column digits integer;
alter table sign_in_code add column made_at timestamptz;
-- When callers from unknown networks last caused a message.
alter table sign_in_code add column strangers_at timestamptz;
