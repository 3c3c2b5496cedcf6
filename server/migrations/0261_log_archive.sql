-- Days of the request log that were moved to an archive, or are on their way there (ADR 0080). Nothing of a request stands here.
create table log_archive_day (
  -- In UTC, as the partitions have it.
  day         date primary key,
  -- `copying`, `copied`: the archive has it, and so has the log. `moved`: only the archive.
  state       text not null,
  -- Who copies it, and until when nobody else may.
  owner       text not null,
  lease_until timestamptz not null,
  rows        bigint not null default 0,
  -- Sum over the rows as they were when they were copied: a row that came or changed since is found by it.
  fingerprint text not null default '',
  moved_at    timestamptz
);
