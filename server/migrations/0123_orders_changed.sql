-- Orders that changed since the last sealed day are proven every few minutes, however many there are.
create index payment_order_changed on payment_order (updated_at);
