-- Which replicas count: a map from the name of a replica's life (`replica#unique`: a replica that joins again has a new one) to
-- the time its heartbeat ends, packed in one string (cmsgpack) that every take reads too. A life whose heartbeat has ended stays
-- in it: what it charged and had not posted still counts, until the replica is back and has posted it, until an operator writes
-- it off, or for a week, as long as a budget is kept. Used by join.lua, beat.lua and leave.lua; lives_key is the first key of each.
local lives_key = KEYS[1]

local REMEMBERED_MS = 604800000

local function read_lives(now)
  local lives = cmsgpack.unpack(redis.call('GET', lives_key) or cmsgpack.pack({}))
  for life, ends in pairs(lives) do
    if ends <= now - REMEMBERED_MS then lives[life] = nil end
  end
  return lives
end

-- Writes the map and returns the names of the living and of the dead.
local function write_lives(lives, now)
  redis.call('SET', lives_key, cmsgpack.pack(lives))
  local living, dead = {}, {}
  for life, ends in pairs(lives) do
    local names = ends > now and living or dead
    names[#names + 1] = life
  end
  return living, dead
end
