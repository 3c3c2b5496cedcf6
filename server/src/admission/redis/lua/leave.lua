-- Removes replicas from the count, with everything they had outstanding.
--   KEYS  incarnations
--   ARGV  now or '', then the names
--   Answers how many are left.
local given_now = ARGV[1]

local now = clock(given_now)
local incarnations = read_incarnations()
for i = 2, #ARGV do incarnations[ARGV[i]] = nil end
return #write_incarnations(incarnations, now)
