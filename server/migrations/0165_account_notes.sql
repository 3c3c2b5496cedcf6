-- What staff write down about an account for each other. Customers never see it. Nothing is deleted or rewritten: a note is withdrawn,
-- and its text stays.
create table account_note (
  id text primary key,
  account_id text not null references account (id),
  text text not null,
  request_id text,
  pinned boolean not null default false,
  author text not null,
  created_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_by text
);
create index account_note_of_account on account_note (account_id, created_at desc, id desc);
-- The history of one account, however many entries all of them have together.
create index admin_event_of_account on admin_event ((detail ->> 'account_id'), at desc, id desc);
