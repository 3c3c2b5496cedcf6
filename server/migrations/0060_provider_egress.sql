-- How a provider is reached: proxies in order, own certificates, source address. Encrypted, since proxies have passwords.
alter table provider add column egress text;
