-- The list of all transfers, newest first, however many there are. Charges are nearly all of them: of all accounts they are found
-- by their id, which begins with the time of the request (transfer-list.ts), so no index of theirs is written for the list. What
-- is looked for among the others has indexes in which charges do not stand and cost nothing.

-- By time and not by number: a charge is posted after its request, or much later when a journal is found again, and a list of
-- some days must not walk over all that was written since.
create index ledger_transfer_of_account on ledger_transfer (account_id, created_at) where account_id is not null;
drop index ledger_transfer_history;

create index ledger_transfer_no_charge on ledger_transfer (created_at, id) where kind <> 'charge';
create index ledger_transfer_of_kind on ledger_transfer (kind, created_at, id) where kind <> 'charge';
create index ledger_transfer_by_hand on ledger_transfer (created_at, id) where kind not in ('charge', 'provider-cost');
create index ledger_transfer_by_hand_of_account on ledger_transfer (account_id, created_at, id)
  where kind not in ('charge', 'provider-cost');
-- The order of `topup:<order>` and `refund:<order>:1`, the dispute of `chargeback:<dispute>`.
create index ledger_transfer_reference on ledger_transfer (split_part(id, ':', 2)) where kind not in ('charge', 'provider-cost');
