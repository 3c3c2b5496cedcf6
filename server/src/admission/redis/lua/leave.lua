-- Removes replicas from the count, with everything they had outstanding.
--   KEYS  lives
--   ARGV  now or '', then the names
--   Answers how many are left.
local given_now = ARGV[1]

local now = clock(given_now)
local lives = read_lives()
for i = 2, #ARGV do lives[ARGV[i]] = nil end
return #write_lives(lives, now)
