-- What was given back of requests: refunds and credits of the guarantee.
create index concurrently if not exists ledger_transfer_given_back on ledger_transfer (request_id) where kind in ('refund', 'guarantee');
