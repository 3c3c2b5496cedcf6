-- What lists of many rows need: views that people save, exports that are made in the background, and what accounts and people are
-- found and sorted by. Names are followed by triggers, so that the version before writes them too.

create table saved_view (
  id          text primary key,
  -- As in the audit log: `staff:per_…`, `operator`. Nobody else sees it.
  owner       text not null,
  list        text not null,
  name        text not null,
  -- The part of the address after the question mark.
  query       text not null,
  created_at  timestamptz not null
);
create index saved_view_of_owner on saved_view (owner, list, created_at);

create table export_job (
  id           text primary key,
  list         text not null,
  -- The query of the list, as it was checked when the export began.
  query        jsonb not null,
  language     text not null,
  owner        text not null,
  -- What the owner's role let them see of the list at that time; a download asks for the same.
  sight        text not null,
  state        text not null check (state in ('waiting', 'running', 'done', 'stopped', 'failed')),
  rows         bigint not null default 0,
  bytes        bigint not null default 0,
  -- Where the next slice begins; null: at the newest row.
  place        text,
  -- The time of the oldest row that was looked at, for lists that go by time.
  reached_at   timestamptz,
  problem      text,
  -- Who works on it, until when nobody else may.
  worker       text,
  leased_until timestamptz,
  tries        integer not null default 0,
  created_at   timestamptz not null,
  ended_at     timestamptz
);
create index export_job_of_owner on export_job (owner, created_at desc);
create index export_job_unfinished on export_job (created_at) where state in ('waiting', 'running');
create index export_job_age on export_job (created_at);

create table export_chunk (
  job_id   text not null references export_job (id) on delete cascade,
  number   integer not null,
  -- CSV, gzip, at most a megabyte.
  content  bytea not null check (octet_length(content) <= 1048576),
  primary key (job_id, number)
);

alter table ticket add column assigned_to text;
create index ticket_assigned on ticket (assigned_to, updated_at desc, id desc) where assigned_to is not null;

-- Letters and digits as people type them either way: Arabic and Persian forms, large and small.
create function search_form(text) returns text language sql immutable as $$
  select lower(translate($1, 'يىئكةۀأإآؤ٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹' || chr(8204) || chr(1600), 'یییکههاااو01234567890123456789 '))
$$;

-- The words of a text, each at most 64 letters; the text itself is found by its beginning too.
create function search_words(text) returns setof text language sql immutable as $$
  select distinct left(word, 64) from (
    select trim(search_form($1)) as word
    union all select regexp_split_to_table(search_form($1), E'\\s+')
    union all select regexp_split_to_table(search_form($1), E'[\\s!-/:-@\\[-`{-~،؛؟«»]+')
  ) as found where word <> ''
$$;

create table account_word (
  account_id  text not null references account (id) on delete cascade,
  -- 'name': its name and id. 'legal': whom its invoices are made out to, which not everybody may search.
  source      text not null,
  word        text not null,
  primary key (account_id, source, word)
);
create index account_word_begins on account_word (word text_pattern_ops, account_id);

create table person_word (
  person_id  text not null references person (id) on delete cascade,
  source     text not null,
  word       text not null,
  primary key (person_id, source, word)
);
create index person_word_begins on person_word (word text_pattern_ops, person_id);

-- What accounts are sorted and filtered by. Name and state follow the account at once, the figures within a minute.
create table account_figures (
  account_id    text primary key references account (id) on delete cascade,
  name          text not null,
  state         text not null,
  created_at    timestamptz not null,
  balance       numeric(38, 0) not null default 0,
  spent_today   numeric(38, 0) not null default 0,
  spent_30_days numeric(38, 0) not null default 0,
  last_at       timestamptz not null default '1970-01-01 00:00:00+00',
  keys          integer not null default 0,
  members       integer not null default 0,
  open_tickets  integer not null default 0,
  renewed_at    timestamptz
);
create index account_figures_name on account_figures (name, account_id);
create index account_figures_created on account_figures (created_at desc, account_id desc);
create index account_figures_balance on account_figures (balance desc, account_id desc);
create index account_figures_spent on account_figures (spent_30_days desc, account_id desc);
create index account_figures_last on account_figures (last_at desc, account_id desc);
create index account_figures_state on account_figures (state, created_at desc, account_id desc) where state <> 'active';
create index account_figures_tickets on account_figures (created_at desc, account_id desc) where open_tickets > 0;
create index account_figures_renewed on account_figures (renewed_at nulls first);

create function account_state(rules jsonb, closed_at timestamptz) returns text language sql immutable as $$
  select case when closed_at is not null then 'closed' when rules ->> 'paused' = 'true' then 'paused' else 'active' end
$$;

create function follow_account() returns trigger language plpgsql as $$
begin
  insert into account_figures as figures (account_id, name, state, created_at)
  values (new.id, left(search_form(new.name), 200), account_state(new.rules, new.closed_at), new.created_at)
  on conflict (account_id) do update set name = excluded.name, state = excluded.state
    where (figures.name, figures.state) is distinct from (excluded.name, excluded.state);
  if tg_op = 'INSERT' or new.name is distinct from old.name then
    delete from account_word where account_id = new.id and source = 'name';
    insert into account_word (account_id, source, word)
    select new.id, 'name', word from (select search_words(new.name) union select search_words(new.id)) as found (word)
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger account_followed after insert or update on account for each row execute function follow_account();

-- Texts of the identity: names and numbers, without what they are called.
create function follow_legal_identity() returns trigger language plpgsql as $$
begin
  delete from account_word where account_id = new.account_id and source = 'legal';
  insert into account_word (account_id, source, word)
  select distinct new.account_id, 'legal', word
  from jsonb_each_text(new.identity) as field (name, value) cross join search_words(left(value, 200)) as word
  where field.name in ('name', 'nationalId', 'economicCode', 'registrationNumber')
  on conflict do nothing;
  return null;
end $$;
create trigger legal_identity_followed after insert or update on legal_identity
  for each row execute function follow_legal_identity();

create function follow_person() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.name is not distinct from old.name then return null; end if;
  delete from person_word where person_id = new.id and source = 'name';
  insert into person_word (person_id, source, word)
  select new.id, 'name', word from (select search_words(new.name) union select search_form(new.id)) as found (word)
  on conflict do nothing;
  return null;
end $$;
create trigger person_followed after insert or update on person for each row execute function follow_person();

-- A number is found as 0912…, 98912… and 912…
create function contact_words(text) returns setof text language sql immutable as $$
  select search_words($1)
  union select '0' || substr(digits, 3) from (select regexp_replace($1, '[^0-9]', '', 'g') as digits) as plain where digits ~ '^98\d{10}$'
  union select substr(digits, 3) from (select regexp_replace($1, '[^0-9]', '', 'g') as digits) as plain where digits ~ '^98\d{10}$'
  union select substr(digits, 2) from (select regexp_replace($1, '[^0-9]', '', 'g') as digits) as plain where digits ~ '^09\d{9}$'
  union select '98' || substr(digits, 2) from (select regexp_replace($1, '[^0-9]', '', 'g') as digits) as plain where digits ~ '^09\d{9}$'
$$;

create function follow_identity() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then delete from person_word where person_id = old.person_id and source = old.id; end if;
  if tg_op <> 'DELETE' then
    insert into person_word (person_id, source, word)
    select new.person_id, new.id, word from contact_words(new.value) as word
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger identity_followed after insert or update or delete on identity
  for each row execute function follow_identity();

insert into account_figures (account_id, name, state, created_at)
select id, left(search_form(name), 200), account_state(rules, closed_at), created_at from account;
insert into account_word (account_id, source, word)
select distinct account.id, 'name', word from account cross join lateral (
  select search_words(account.name) union select search_words(account.id)) as found (word);
insert into account_word (account_id, source, word)
select distinct account_id, 'legal', word from legal_identity
cross join lateral jsonb_each_text(identity) as field (name, value) cross join lateral search_words(left(value, 200)) as word
where field.name in ('name', 'nationalId', 'economicCode', 'registrationNumber');
insert into person_word (person_id, source, word)
select distinct person.id, 'name', word from person cross join lateral (
  select search_words(person.name) union select search_form(person.id)) as found (word);
insert into person_word (person_id, source, word)
select distinct person_id, identity.id, word from identity cross join lateral contact_words(value) as word;
