-- Micro-toman for one whole unit of a foreign currency, as it was when the order was made: a cent that was rounded up is told from the
-- fee by it. Null for orders in rial or toman, and for those of former times.
alter table payment_order add column rate numeric(38, 0);
