-- Removes replicas from the count, with everything they had outstanding.
--   KEYS  members
--   ARGV  now or '', then the names
--   Answers how many members are left.
local given_now = ARGV[1]

local now = clock(given_now)
local members = read_members(now)
for i = 2, #ARGV do members[ARGV[i]] = nil end
return #write_members(members, now)
