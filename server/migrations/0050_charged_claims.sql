-- The request behind a claim is charged from here on: its owner marks it just before it writes the charge to its journal. A
-- claim with the mark is never taken over, for only its owner's journal knows whether the charge was made.

alter table idempotency_claim add column charged boolean not null default false;
