-- Models and prices that are put together as a draft and published as one change. An undo is a change of its own, with the
-- opposite edits: `undoes` names what it took back.
create table catalog_change (
  id            text primary key,
  seq           bigint generated always as identity,
  state         text not null check (state in ('draft', 'published', 'undone')),
  edits         jsonb not null,
  -- What each subject looked like when the draft was last written: publishing refuses what somebody else has changed since.
  base          jsonb not null default '{}',
  -- Written when it is published: the edits that take it back, and what each subject looked like afterwards.
  inverse       jsonb,
  after         jsonb,
  note          text,
  made_by       text not null,
  made_at       timestamptz not null,
  published_by  text,
  published_at  timestamptz,
  undoes        text,
  undone_by     text
);
create index catalog_change_newest on catalog_change (seq desc);
