-- Pictures that a client asked for by address: for an hour, in parts that every replica reads. `id` is the digest of the address.
create table drawn_picture (
  id         text primary key,
  account_id text not null,
  type       text not null,
  bytes      integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index drawn_picture_account on drawn_picture (account_id, created_at);
create index drawn_picture_expires on drawn_picture (expires_at);

create table drawn_picture_part (
  picture_id text not null references drawn_picture (id) on delete cascade,
  part       integer not null,
  data       bytea not null,
  primary key (picture_id, part)
);
