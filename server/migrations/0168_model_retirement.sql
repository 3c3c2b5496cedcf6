-- The day on which a model stops by itself, and what its customers should use instead. Version 0.1.0 does not know them: it goes on
-- until the row is switched off, which follows within half a minute of the date (rows of the file stay on there).
alter table model add column retires_at timestamptz;
alter table model add column successor text;
