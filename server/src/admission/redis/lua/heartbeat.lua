-- A heartbeat: the replica says that it is alive.
--   KEYS  incarnations
--   ARGV  incarnation, now or '', heartbeat in ms
--   Answers now, the living, the dead and when each of those ended; nothing when this one is not known or counts as dead.
local incarnation, given_now, heartbeat_ms = unpack(ARGV)

local now = clock(given_now)
local incarnations = read_incarnations()
if not incarnations[incarnation] or incarnations[incarnation] <= now then return {} end
incarnations[incarnation] = now + tonumber(heartbeat_ms)
return { now, write_incarnations(incarnations, now) }
