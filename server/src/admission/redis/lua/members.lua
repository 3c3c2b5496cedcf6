-- Which replicas count: a map from a replica's name to the time its heartbeat ends, packed in one string (cmsgpack) that
-- every take reads too. Used by join.lua, beat.lua and leave.lua; members_key is the first key of each.
local members_key = KEYS[1]

local function read_members(now)
  local members = cmsgpack.unpack(redis.call('GET', members_key) or cmsgpack.pack({}))
  for member, ends in pairs(members) do
    if ends <= now then members[member] = nil end
  end
  return members
end

-- Writes the map and returns the names in it.
local function write_members(members)
  redis.call('SET', members_key, cmsgpack.pack(members))
  local names = {}
  for member in pairs(members) do names[#names + 1] = member end
  return names
end
