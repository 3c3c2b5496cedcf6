-- Tickets between customers and staff, what the operator announces, and incidents for the status page.

create table ticket (
  id              text primary key,
  account_id      text not null references account (id),
  category        text not null,
  subject         text not null,
  state           text not null check (state in ('open', 'answered', 'waiting', 'closed')),
  request_ids     jsonb not null default '[]',
  -- A wish for other limits, as data: {"rules": {…}}. Approving it applies it.
  wish            jsonb,
  wish_state      text check (wish_state in ('asked', 'approved', 'declined')),
  customer_read_at timestamptz not null,
  staff_read_at   timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null
);
create index ticket_of_account on ticket (account_id, updated_at desc, id desc);
create index ticket_latest on ticket (updated_at desc, id desc);

create table ticket_message (
  id          text primary key,
  ticket_id   text not null references ticket (id) on delete cascade,
  side        text not null check (side in ('customer', 'staff', 'system')),
  author      text not null,
  text        text not null,
  created_at  timestamptz not null
);
create index ticket_message_of_ticket on ticket_message (ticket_id, created_at, id);

create table ticket_attachment (
  id          text primary key,
  message_id  text not null references ticket_message (id) on delete cascade,
  name        text not null,
  type        text not null,
  data        bytea not null
);
create index ticket_attachment_of_message on ticket_attachment (message_id);

create table announcement (
  id          text primary key,
  title       jsonb not null,
  text        jsonb not null,
  from_at     timestamptz not null,
  until_at    timestamptz,
  created_by  text not null,
  created_at  timestamptz not null
);

create table incident (
  id           text primary key,
  title        jsonb not null,
  impact       text not null,
  vendors      jsonb not null,
  state        text not null,
  updates      jsonb not null,
  started_at   timestamptz not null,
  resolved_at  timestamptz
);
create index incident_newest on incident (started_at desc, id desc);
