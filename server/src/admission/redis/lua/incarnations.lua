-- Which replicas count: a map from the name of a replica's incarnation (`replica#unique`: a replica that joins again has a new one) to
-- the time its heartbeat ends, packed in one string (cmsgpack) that every reservation reads too. An incarnation whose heartbeat has ended stays
-- in it: what it had outstanding still counts, until the replica is back and has posted it or an operator writes it off. One that
-- has nothing outstanding is removed by whoever looks (dead-incarnations.ts). Used by join.lua, heartbeat.lua and leave.lua; incarnations_key is the
-- first key of each.
local incarnations_key = KEYS[1]

-- The node of a cluster that runs this; '' where nodes are not told apart.
local function this_node(in_cluster)
  return in_cluster ~= '' and redis.call('CLUSTER', 'MYID') or ''
end

local function read_incarnations()
  return cmsgpack.unpack(redis.call('GET', incarnations_key) or cmsgpack.pack({}))
end

-- Writes the map and returns the names of the living, the names of the dead and when the heartbeat of each of those ended.
local function write_incarnations(incarnations, now)
  redis.call('SET', incarnations_key, cmsgpack.pack(incarnations))
  local living, dead, ended = {}, {}, {}
  for incarnation, ends in pairs(incarnations) do
    if ends > now then
      living[#living + 1] = incarnation
    else
      dead[#dead + 1], ended[#ended + 1] = incarnation, ends
    end
  end
  return living, dead, ended
end
