-- Indexes on tables that may be large: built one by one while others read and write (platform/db/migrate-online.ts).

-- The only one that is new on the request log. Failures are few, so it costs the others nothing.
create index concurrently if not exists request_log_failed on request_log (id) where state <> 'completed';

create index concurrently if not exists payment_order_by_gateway on payment_order (gateway, created_at desc, id desc);
create index concurrently if not exists payment_order_by_state on payment_order (state, created_at desc, id desc);
create index concurrently if not exists payment_order_external on payment_order (external_id text_pattern_ops) where external_id is not null;
create index concurrently if not exists payment_order_receipt on payment_order (reference text_pattern_ops) where reference is not null;

create index concurrently if not exists admin_event_by_actor on admin_event (actor, at desc, id desc);
create index concurrently if not exists admin_event_by_action on admin_event (action, at desc, id desc);

create index concurrently if not exists ticket_by_state on ticket (state, updated_at desc, id desc);
