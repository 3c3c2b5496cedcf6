-- Replicas that count no more.
--   KEYS  members
--   ARGV  now or '', then the names
--   Answers how many members are left.
local given_now = ARGV[1]

local members = read_members(clock(given_now))
for i = 2, #ARGV do members[ARGV[i]] = nil end
return #write_members(members)
