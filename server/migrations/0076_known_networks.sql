-- Where a person has signed in from, by network: what strangers guess elsewhere does not lock them out there.
create table known_network (
  person_id  text not null references person (id) on delete cascade,
  network    text not null,
  last_at    timestamptz not null,
  primary key (person_id, network)
);
