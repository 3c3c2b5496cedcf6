-- What a step of the first-run guide has once seen with its own eyes: the test message that a carrier took, the first payment through
-- a real gateway, the first answer that a customer paid for, the last backup that told of itself. `dismissed` is the owner's word
-- that the guide shall stay away. One row per step; nothing is asked of the large tables again once it was found there.
create table setup_evidence (
  step  text primary key,
  what  text not null,
  actor text not null,
  at    timestamptz not null
);
