-- Which replicas count: a map from a replica's name to the time its heartbeat ends, packed in one string (cmsgpack) that
-- every take reads too. A replica whose heartbeat has ended stays in it: what it charged and had not posted still counts,
-- until it is back and has posted it, until an operator writes it off, or for a week, the life of a budget. Used by join.lua,
-- beat.lua and leave.lua; members_key is the first key of each.
local members_key = KEYS[1]

local REMEMBERED_MS = 604800000

local function read_members(now)
  local members = cmsgpack.unpack(redis.call('GET', members_key) or cmsgpack.pack({}))
  for member, ends in pairs(members) do
    if ends <= now - REMEMBERED_MS then members[member] = nil end
  end
  return members
end

-- Writes the map and returns the names of the living and of the dead.
local function write_members(members, now)
  redis.call('SET', members_key, cmsgpack.pack(members))
  local living, dead = {}, {}
  for member, ends in pairs(members) do
    local names = ends > now and living or dead
    names[#names + 1] = member
  end
  return living, dead
end
