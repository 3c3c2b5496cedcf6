-- Leases: what this replica may take from counters it uses when it is cut off from Redis. They grow here; they shrink only by
-- what the replica itself gives back (decide.lua, LEASE_BUDGET and LEASE_WINDOW), for it must know first.
--   KEYS  incarnations, then the counters
--   ARGV  incarnation, now or '', parts (one in so many of what is left is this replica's), asked
--
-- `asked` has 32 bytes per counter, 4 little-endian doubles:
--   0        8                   16     24
--   |  1     | limit             | 0    | amount of its last request            |   window
--   | -1     | limit in billions | rest | the least its last request needed     |   budget
--   Answers per counter two doubles: by how much the lease grew | how much it should be now. Nothing when the replica does not
--   count (any more).
local incarnation, given_now, parts, asked = unpack(ARGV)
local ASKED, ASKED_LENGTH = '<dddd', 32
-- A budget is leased only while a lease pays for the least of so many requests; where little is left, nothing is leased.
local LEAST_REQUESTS = 4
-- After a request had to wait for leased money, the counter is not leased again for this long.
local RECALLED_FOR = 60000

begin(clock(given_now), incarnation)
if not living[label] then return '' end

local function fair(left, least)
  local part = floor(left / tonumber(parts))
  return part >= least and part or 0
end

-- A difference smaller than this is not worth a change.
local function differs(lease, wanted)
  return wanted > lease * 1.25 or wanted < lease * 0.75
end

local function renew_window(window, limit, amount)
  local own, living_others, dead_others = leases_of(window)
  local wanted = 0
  if window.recalled + RECALLED_FOR <= now and window.used * 2 <= limit then
    wanted = fair(limit - window.used - living_others - dead_others, max(1, amount))
  end
  if not differs(own, wanted) then wanted = own end
  if own > 0 or wanted > 0 then lease_window(window, max(own, wanted)) end
  return max(0, wanted - own), wanted
end

local function renew_budget(budget, limit_high, limit_low, amount)
  local wanted, own = 0, budget.own_lease
  if budget.version_high >= 0 and budget.recalled + RECALLED_FOR <= now then
    wanted = fair(gap(limit_high, limit_low, budget) - outstanding(budget) + own, max(1, LEAST_REQUESTS * amount))
  end
  if not differs(own, wanted) then wanted = own end
  if wanted > own then
    budget.own_lease = wanted
    touch(budget)
  end
  return max(0, wanted - own), wanted
end

local answers = {}
for i = 2, #KEYS do
  local kind, a, b, amount = parse(ASKED, asked, (i - 2) * ASKED_LENGTH + 1)
  local grown, wanted
  if kind > 0 then
    grown, wanted = renew_window(open_window(i), a, amount)
  else
    grown, wanted = renew_budget(open_budget(i), a, b, amount)
  end
  answers[#answers + 1] = pack('<dd', grown, wanted)
end
save()
return table.concat(answers)
