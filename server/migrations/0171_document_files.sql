-- Pictures and PDFs of the papers behind entries. As the papers themselves, they are added and never changed or taken away.
create table document_file (
  id           text primary key,
  document_id  text not null references document (id),
  name         text not null,
  -- As its first bytes say: image/png, image/jpeg, image/webp or application/pdf.
  type         text not null,
  -- SHA-256, in hex: the same file again changes nothing.
  digest       text not null,
  data         bytea not null check (octet_length(data) <= 3145728),
  created_by   text not null,
  created_at   timestamptz not null,
  unique (document_id, digest)
);

create function document_file_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'document_file is append-only';
end
$$;
create trigger document_file_append_only before update or delete or truncate on document_file
  for each statement execute function document_file_is_append_only();
