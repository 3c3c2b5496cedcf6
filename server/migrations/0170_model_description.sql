-- What the operator says of a model in their own words; null: what we ship with the list is shown. Start-up never writes it.
alter table model add column description_fa text;
alter table model add column description_en text;
