-- Knowledge bases: documents, the passages they were cut into, what finds those passages, and the queue that makes them.

-- Trusted since PostgreSQL 13: the owner of the database may create it.
create extension if not exists pg_trgm;

create table knowledge_base (
  id               text primary key,
  account_id       text not null references account (id),
  name             text not null,
  -- Vectors are made by this model of the catalog; null searches by words alone.
  embedding_model  text,
  -- Grows with every change of what is searchable, so that a cache of vectors knows when it is stale.
  version          bigint not null default 0,
  -- Searchable passages, for the weight of words; kept here, since counting them with every search would cost more than the search.
  passages         bigint not null default 0,
  created_at       timestamptz not null,
  updated_at       timestamptz not null
);
create index knowledge_base_of_account on knowledge_base (account_id, created_at desc, id desc);

create table knowledge_document (
  id            text primary key,
  base_id       text not null references knowledge_base (id) on delete cascade,
  name          text not null,
  source        text not null check (source in ('upload', 'text', 'url')),
  url           text,
  -- As given by the sender; the reader trusts the bytes more.
  media_type    text,
  content_hash  bytea,
  bytes         bigint not null,
  -- Grows with every replacement: work on an older content must not finish.
  revision      integer not null default 1,
  state         text not null check (state in ('queued', 'reading', 'embedding', 'ready', 'failed')),
  progress      integer not null default 0 check (progress between 0 and 100),
  -- Why it failed, in both languages.
  reason        jsonb,
  passages      integer not null default 0,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  unique (base_id, name)
);
-- The same content is kept once in a base.
create unique index knowledge_document_content on knowledge_document (base_id, content_hash) where content_hash is not null;
create index knowledge_document_newest on knowledge_document (base_id, created_at desc, id desc);

-- The bytes as they came, until they have been read. In the database, so that any replica can read them.
create table knowledge_content (
  document_id  text primary key references knowledge_document (id) on delete cascade,
  bytes        bytea not null
);

-- One row per document that waits or is being worked on. Who works on it renews the lease; when it stops, another takes over.
create table knowledge_job (
  document_id  text primary key references knowledge_document (id) on delete cascade,
  seq          bigint generated always as identity,
  revision     integer not null,
  -- The content was read and cut, the passages wait in knowledge_passage: a successor goes on from there.
  drafted      boolean not null default false,
  run_after    timestamptz not null default now(),
  leased_by    text,
  leased_until timestamptz,
  attempts     integer not null default 0
);
create index knowledge_job_next on knowledge_job (seq);

create table knowledge_passage (
  id           bigint generated always as identity primary key,
  base_id      text not null references knowledge_base (id) on delete cascade,
  document_id  text not null references knowledge_document (id) on delete cascade,
  revision     integer not null,
  ordinal      integer not null,
  -- Not live: written, but the document is not finished. All of a document's passages become live at one instant.
  live         boolean not null default false,
  text         text not null,
  page         integer,
  heading      text,
  tokens       integer not null,
  -- Normalised and stemmed words (knowledge/language), not PostgreSQL's own reading of the text.
  words        tsvector not null
);
create unique index knowledge_passage_place on knowledge_passage (document_id, revision, ordinal);
create index knowledge_passage_of_base on knowledge_passage (base_id) where live;
create index knowledge_passage_words on knowledge_passage using gin (words) where live;

-- In how many live passages of a base a word stands: rare words tell more than common ones, which PostgreSQL's ranking ignores.
create table knowledge_word (
  base_id   text not null references knowledge_base (id) on delete cascade,
  word      text not null,
  passages  integer not null,
  primary key (base_id, word)
) with (fillfactor = 80);
-- Finds the words of a base that look like a misspelt or otherwise bent word of a question.
create index knowledge_word_likeness on knowledge_word using gin (word gin_trgm_ops);

-- Vectors stand apart: a search by words never reads them, and a search by vectors reads nothing else.
create table knowledge_vector (
  passage_id  bigint primary key references knowledge_passage (id) on delete cascade,
  base_id     text not null
);
create index knowledge_vector_of_base on knowledge_vector (base_id);

-- pgvector where the server has it; else 32-bit floats as bytes, searched exactly by the gateway.
do $$
begin
  if exists (select from pg_available_extensions where name = 'vector') then
    create extension if not exists vector;
    alter table knowledge_vector add column embedding vector not null;
  else
    alter table knowledge_vector add column embedding bytea not null;
  end if;
exception when insufficient_privilege then
  alter table knowledge_vector add column embedding bytea not null;
end
$$;
