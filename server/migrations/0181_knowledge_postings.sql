-- Where each word of a base stands, kept per base: a search reads the rows of its own words and of nobody else's. 0.1.0 neither
-- writes nor reads any of this; what it publishes is found by the version that it raises and added in the background (ADR 0054).

create table knowledge_posting (
  base_id  text not null,
  -- Compared by its bytes: the language of the database decides nothing here.
  word     text collate "C" not null,
  -- Passages are numbered as they come, and so many of them share a row: a row stays small enough to be written anew.
  segment  integer not null,
  -- Eight bytes per passage that has the word (knowledge/store/posting-format.ts).
  data     bytea not null,
  primary key (base_id, word, segment)
) with (fillfactor = 75, toast_tuple_target = 8160);
-- Numbers do not compress, and a row never grows beyond its page.
alter table knowledge_posting alter column data set storage external;

-- The version of which the postings tell. Null or another than `version`: something is missing in them.
alter table knowledge_base add column indexed_version bigint;
-- What was ever put into the postings: those of passages that are gone stay until they are made anew.
alter table knowledge_base add column indexed_passages bigint not null default 0;
alter table knowledge_base add column indexed_words bigint not null default 0;

-- Of the passages that are in the postings.
alter table knowledge_document add column indexed_revision integer;

-- By a trigger and not by a reference: a reference is looked up again for every word that is written.
create function forget_postings() returns trigger language plpgsql as $$
begin
  delete from knowledge_posting where base_id = old.id;
  return null;
end
$$;
create trigger knowledge_base_forgotten after delete on knowledge_base for each row execute function forget_postings();
