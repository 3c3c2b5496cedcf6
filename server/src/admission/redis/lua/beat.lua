-- A heartbeat: the replica says that it is alive.
--   KEYS  lives
--   ARGV  life, now or '', heartbeat in ms
--   Answers now, the living, the dead and when each of those ended; nothing when this one is not known or counts as dead.
local life, given_now, heartbeat_ms = unpack(ARGV)

local now = clock(given_now)
local lives = read_lives()
if not lives[life] or lives[life] <= now then return {} end
lives[life] = now + tonumber(heartbeat_ms)
return { now, write_lives(lives, now) }
