-- The time in milliseconds: Redis's own, or the one a test gives. '' means that none was given.
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local seconds_and_micros = redis.call('TIME')
  return tonumber(seconds_and_micros[1]) * 1000 + math.floor(tonumber(seconds_and_micros[2]) / 1000)
end
