-- A heartbeat: the replica says that it is alive.
--   KEYS  members
--   ARGV  member, now or '', heartbeat in ms
--   Answers now, the living and the dead members; nothing when the replica is not a member or counts as dead.
local member, given_now, heartbeat_ms = unpack(ARGV)

local now = clock(given_now)
local members = read_members(now)
if not members[member] or members[member] <= now then return {} end
members[member] = now + tonumber(heartbeat_ms)
return { now, write_members(members, now) }
