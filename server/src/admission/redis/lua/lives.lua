-- Which replicas count: a map from the name of a replica's life (`replica#unique`: a replica that joins again has a new one) to
-- the time its heartbeat ends, packed in one string (cmsgpack) that every take reads too. A life whose heartbeat has ended stays
-- in it: what it had outstanding still counts, until the replica is back and has posted it or an operator writes it off. One that
-- has nothing outstanding is removed by whoever looks (dead-lives.ts). Used by join.lua, beat.lua and leave.lua; lives_key is the
-- first key of each.
local lives_key = KEYS[1]

local function read_lives()
  return cmsgpack.unpack(redis.call('GET', lives_key) or cmsgpack.pack({}))
end

-- Writes the map and returns the names of the living, the names of the dead and when the heartbeat of each of those ended.
local function write_lives(lives, now)
  redis.call('SET', lives_key, cmsgpack.pack(lives))
  local living, dead, ended = {}, {}, {}
  for life, ends in pairs(lives) do
    if ends > now then
      living[#living + 1] = life
    else
      dead[#dead + 1], ended[#ended + 1] = life, ends
    end
  end
  return living, dead, ended
end
