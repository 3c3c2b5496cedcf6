-- A heartbeat: the replica says that it is alive.
--   KEYS  incarnations, epoch
--   ARGV  incarnation, now or '', heartbeat in ms, '' unless nodes are told apart
--   Answers now, the living, the dead and when each of those ended; nothing when this one is not known or counts as dead,
--   or when another node of a cluster took over: whoever counted there joins again.
local incarnation, given_now, heartbeat_ms, in_cluster = unpack(ARGV)

local now = clock(given_now)
local incarnations = read_incarnations()
if not incarnations[incarnation] or incarnations[incarnation] <= now then return {} end
if in_cluster ~= '' and redis.call('HGET', KEYS[2], 'node') ~= this_node(in_cluster) then return {} end
incarnations[incarnation] = now + tonumber(heartbeat_ms)
return { now, write_incarnations(incarnations, now) }
