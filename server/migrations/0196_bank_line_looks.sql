-- A transfer that staff are about to confirm is looked for in the statements of its bank: by its number, and by its sum and day.
create index settlement_line_movement on settlement_line (reference, day) where kind = 'movement';
create index settlement_line_movement_sum on settlement_line (gross, day) where kind = 'movement';
