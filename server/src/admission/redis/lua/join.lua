-- A replica begins to count. A missing epoch means that Redis is new or has lost everything.
--   KEYS  incarnations, epoch
--   ARGV  incarnation, now or '', heartbeat in ms, name for a new epoch, ms until a new epoch is settled
--   Answers now, epoch, ms until the epoch is settled, the living, the dead and when each of those ended.
local epoch_key = KEYS[2]
local incarnation, given_now, heartbeat_ms, new_epoch, settle_ms = unpack(ARGV)

local now = clock(given_now)
local epoch, settled_at = unpack(redis.call('HMGET', epoch_key, 'name', 'settled'))
if not epoch then
  epoch, settled_at = new_epoch, string.format('%.0f', now + tonumber(settle_ms))
  redis.call('HSET', epoch_key, 'name', epoch, 'settled', settled_at)
end
local incarnations = read_incarnations()
incarnations[incarnation] = now + tonumber(heartbeat_ms)
return { now, epoch, math.max(0, tonumber(settled_at) - now), write_incarnations(incarnations, now) }
