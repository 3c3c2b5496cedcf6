-- What a provider does with what it is sent: {training, retention_days, region}, each null where nobody states it. Null as a whole:
-- what we ship about its vendor. The version before reads and writes none of it.
alter table provider add column data_policy jsonb;
