-- A replica begins to count. A missing epoch means that Redis is new or has lost everything; one of another node of a cluster means
-- that this node took over, and may lack what the other had not told it: everything is registered again.
--   KEYS  incarnations, epoch
--   ARGV  incarnation, now or '', heartbeat in ms, name for a new epoch, ms until a new epoch is settled, '' unless nodes are told
--         apart, ms until the epoch of a node that took over is settled
--   Answers now, epoch, ms until the epoch is settled, the living, the dead and when each of those ended.
local epoch_key = KEYS[2]
local incarnation, given_now, heartbeat_ms, new_epoch, settle_ms, in_cluster, takeover_ms = unpack(ARGV)

local now = clock(given_now)
local node = this_node(in_cluster)
local epoch, settled_at, known_node = unpack(redis.call('HMGET', epoch_key, 'name', 'settled', 'node'))
local taken_over = epoch and (known_node or '') ~= node
if not epoch or taken_over then
  epoch, settled_at = new_epoch, string.format('%.0f', now + tonumber(taken_over and takeover_ms or settle_ms))
  redis.call('HSET', epoch_key, 'name', epoch, 'settled', settled_at, 'node', node)
end
local incarnations = read_incarnations()
incarnations[incarnation] = now + tonumber(heartbeat_ms)
return { now, epoch, math.max(0, tonumber(settled_at) - now), write_incarnations(incarnations, now) }
