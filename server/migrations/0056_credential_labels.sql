-- So that people can tell the keys of a provider apart without seeing them.
alter table provider_credential add column label text;
alter table provider_credential add column last4 text;
