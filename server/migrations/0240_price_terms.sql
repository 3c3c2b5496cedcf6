-- Service tiers and prices by picture: {service_tiers: {tier: factor}, image_grid: [{size, quality, price}]}; null: none.
-- The version before neither reads nor writes it, and sells the normal tier alone.
alter table price add column terms jsonb;
