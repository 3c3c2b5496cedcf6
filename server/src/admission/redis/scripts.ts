/**
 * What runs inside Redis. A script runs alone, which is what makes a take over many counters atomic for all replicas.
 *
 * A window is a hash: `a<second>` amount, `t<second>` time of the youngest admission in it, `used` their sum, `oldest`
 * the first second, `last` the youngest admission. The rule is that of arithmetic.ts.
 * A budget is a hash: `p` posted and `v` its version, both decimal text; `o:<member>` what that replica has outstanding.
 * Members are a sorted set of replica names by the time their heartbeat ends; only living members' shares count.
 *
 * Exactness: Lua counts in doubles, exact up to 2^53. Posted amounts may be larger, so they stay text and only the gap
 * between limit and posted becomes a number, by parts of nine digits. A gap above 2^52 (4.5 thousand million toman) is
 * taken as 2^52: far more than one request can hold, and never more than there is.
 */

const PRELUDE = `
local WINDOW = 60000
local LARGEST = 4503599627370496

local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function read_buckets(key)
  local amounts, times, seconds = {}, {}, {}
  local flat = redis.call('HGETALL', key)
  for i = 1, #flat, 2 do
    local second = tonumber(string.sub(flat[i], 2))
    if second then
      if string.sub(flat[i], 1, 1) == 'a' then
        amounts[second] = tonumber(flat[i + 1])
        seconds[#seconds + 1] = second
      else
        times[second] = tonumber(flat[i + 1])
      end
    end
  end
  table.sort(seconds)
  return seconds, amounts, times
end

local function drop_expired(window, now)
  local seconds, amounts, times = read_buckets(window.key)
  window.used, window.oldest = 0, nil
  for _, second in ipairs(seconds) do
    if times[second] + WINDOW <= now then
      redis.call('HDEL', window.key, 'a' .. second, 't' .. second)
    else
      window.oldest = window.oldest or second
      window.used = window.used + amounts[second]
    end
  end
  if not window.oldest then
    redis.call('DEL', window.key)
    window.last = nil
  else
    redis.call('HSET', window.key, 'used', window.used, 'oldest', window.oldest)
  end
end

local function open_window(key, now)
  local stored = redis.call('HMGET', key, 'used', 'oldest', 'last')
  local window = { key = key, used = tonumber(stored[1]) or 0, oldest = tonumber(stored[2]), last = tonumber(stored[3]) }
  if not window.oldest then return window end
  if window.last + WINDOW <= now or window.last - now > WINDOW then
    redis.call('DEL', key)
    return { key = key, used = 0 }
  end
  -- A bucket cannot have expired before its own second is a window old.
  if window.oldest * 1000 + WINDOW <= now then drop_expired(window, now) end
  return window
end

local function empty_in(window, now)
  if window.used <= 0 or not window.last then return 0 end
  return window.last + WINDOW - now
end

local function add_to_window(window, amount, at)
  if amount == 0 then return end
  local second = math.floor(at / 1000)
  local youngest = at
  if window.last and at < window.last then
    youngest = math.max(at, tonumber(redis.call('HGET', window.key, 't' .. second) or 0))
  end
  window.used = window.used + amount
  window.oldest = math.min(window.oldest or second, second)
  window.last = math.max(window.last or at, at)
  local first_of_second = redis.call('HINCRBY', window.key, 'a' .. second, amount) == amount
  redis.call('HSET', window.key, 't' .. second, youngest, 'used', window.used, 'oldest', window.oldest, 'last', window.last)
  if first_of_second then redis.call('PEXPIRE', window.key, 2 * WINDOW) end
end

local function living_members(key, now)
  local living = {}
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. string.format('%.0f', now), '+inf')) do
    living[member] = true
  end
  return living
end

local function parts(text)
  local sign, digits = 1, text
  if string.sub(text, 1, 1) == '-' then sign, digits = -1, string.sub(text, 2) end
  if #digits <= 9 then return 0, sign * tonumber(digits) end
  return sign * tonumber(string.sub(digits, 1, -10)), sign * tonumber(string.sub(digits, -9))
end

local function gap(limit, posted)
  local limit_high, limit_low = parts(limit)
  local posted_high, posted_low = parts(posted)
  local difference = (limit_high - posted_high) * 1e9 + (limit_low - posted_low)
  return math.max(-LARGEST, math.min(LARGEST, difference))
end

local function open_budget(key, living)
  local budget = { key = key, outstanding = 0 }
  local flat = redis.call('HGETALL', key)
  for i = 1, #flat, 2 do
    local field = flat[i]
    if field == 'p' then
      budget.posted = flat[i + 1]
    elseif field ~= 'v' then
      if living[string.sub(field, 3)] then
        budget.outstanding = budget.outstanding + math.max(0, tonumber(flat[i + 1]))
      else
        redis.call('HDEL', key, field)
      end
    end
  end
  return budget
end
`;

/**
 * KEYS: members, then one per claim. ARGV: member, now or '', want, least,
 * then per claim: 'w' limit amount, or 'b' limit ''.
 * Answers: {'stranger'} | {'missing', index…} | {'taken'|'refused', now, …}
 *   taken:   grant, what the tightest budget had;   refused: index of the claim, wait in ms or what was available
 *   then two numbers per claim: window → used, ms until empty; budget → what was available, what all had outstanding.
 */
export const TAKE = `${PRELUDE}
local member, now = ARGV[1], clock(ARGV[2])
local want, least = tonumber(ARGV[3]), tonumber(ARGV[4])
local living = living_members(KEYS[1], now)
if not living[member] then return {'stranger'} end

local function room_in(window, limit, amount)
  if amount > limit then return WINDOW end
  local seconds, amounts, times = read_buckets(window.key)
  local used = window.used
  for _, second in ipairs(seconds) do
    used = used - amounts[second]
    if used + amount <= limit then return times[second] + WINDOW - now end
  end
  return WINDOW
end

local claims, missing = {}, {'missing'}
local failed, failed_with
local grant, tightest = want, LARGEST
for i = 1, #KEYS - 1 do
  local at = 2 + i * 3
  local claim = { window = ARGV[at] == 'w', amount = tonumber(ARGV[at + 2]) }
  claims[i] = claim
  if claim.window then
    claim.counter = open_window(KEYS[i + 1], now)
    local limit = tonumber(ARGV[at + 1])
    if not failed and #missing == 1 and claim.counter.used + claim.amount > limit then
      failed, failed_with = i, room_in(claim.counter, limit, claim.amount)
    end
  elseif not failed then
    claim.counter = open_budget(KEYS[i + 1], living)
    if not claim.counter.posted then
      missing[#missing + 1] = i
    elseif #missing == 1 then
      claim.available = gap(ARGV[at + 1], claim.counter.posted) - claim.counter.outstanding
      if claim.available < least then failed, failed_with = i, claim.available end
      grant = math.min(grant, claim.available)
      tightest = math.min(tightest, claim.available)
    end
  end
end
if not failed and #missing > 1 then return missing end

local answer = failed and {'refused', now, failed, failed_with} or {'taken', now, grant, tightest}
for _, claim in ipairs(claims) do
  if claim.window then
    if not failed then add_to_window(claim.counter, claim.amount, math.max(now, claim.counter.last or now)) end
    answer[#answer + 1] = claim.counter.used
    answer[#answer + 1] = empty_in(claim.counter, now)
  else
    if not failed then
      redis.call('HINCRBY', claim.counter.key, 'o:' .. member, string.format('%.0f', grant))
    end
    answer[#answer + 1] = claim.available or 0
    answer[#answer + 1] = claim.counter and claim.counter.outstanding or 0
  end
end
return answer
`;

/** KEYS: members, then one per counter. ARGV: now or '', then 'w' or 'b' each. Answers two values per counter. */
export const READ = `${PRELUDE}
local now = clock(ARGV[1])
local living = living_members(KEYS[1], now)
local answer = {}
for i = 2, #KEYS do
  if ARGV[i] == 'w' then
    local window = open_window(KEYS[i], now)
    answer[#answer + 1] = window.used
    answer[#answer + 1] = empty_in(window, now)
  else
    local budget = open_budget(KEYS[i], living)
    answer[#answer + 1] = budget.posted or ''
    answer[#answer + 1] = string.format('%.0f', budget.outstanding)
  end
end
return answer
`;

/**
 * KEYS: one per change. ARGV: member, now or '', idle time of budgets, then three per change:
 *   'h' delta: outstanding of this member;  'p' posted version: the ledger's word, unless a newer one is known;
 *   'c' second delta: correct a window where it was taken;  'a' time amount: register an earlier admission.
 */
export const ADJUST = `${PRELUDE}
local member, now = ARGV[1], clock(ARGV[2])

local function newer(version, known)
  if not known then return true end
  if #version ~= #known then return #version > #known end
  return version > known
end

for i, key in ipairs(KEYS) do
  local at = 1 + i * 3
  local kind, first, second = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  if kind == 'h' then
    -- Every load and every posting renews the life of a budget; here only one that has none yet needs it.
    if redis.call('HINCRBY', key, 'o:' .. member, first) == tonumber(first) then redis.call('PEXPIRE', key, ARGV[3]) end
  elseif kind == 'p' then
    if newer(second, redis.call('HGET', key, 'v')) then redis.call('HSET', key, 'p', first, 'v', second) end
    redis.call('PEXPIRE', key, ARGV[3])
  elseif kind == 'c' then
    if redis.call('HEXISTS', key, 'a' .. first) == 1 then
      redis.call('HINCRBY', key, 'a' .. first, second)
      redis.call('HINCRBY', key, 'used', second)
    end
  elseif kind == 'a' then
    add_to_window(open_window(key, now), tonumber(second), math.min(now, tonumber(first)))
  end
end
return #KEYS
`;

/**
 * KEYS: members, epoch. ARGV: member, now or '', heartbeat ms, name for a new epoch, ms to settle a new epoch.
 * Answers: now, epoch, ms until the epoch is settled, living members.
 * A missing epoch means that Redis is new or has lost everything.
 */
export const JOIN = `${PRELUDE}
local now = clock(ARGV[2])
local epoch = redis.call('HMGET', KEYS[2], 'name', 'settled')
if not epoch[1] then
  epoch = { ARGV[4], string.format('%.0f', now + tonumber(ARGV[5])) }
  redis.call('HSET', KEYS[2], 'name', epoch[1], 'settled', epoch[2])
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[3])), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
return { now, epoch[1], math.max(0, tonumber(epoch[2]) - now), redis.call('ZRANGE', KEYS[1], 0, -1) }
`;

/** KEYS: members. ARGV: member, now or '', heartbeat ms. Answers: now, living members; nothing when not a member. */
export const BEAT = `${PRELUDE}
local now = clock(ARGV[2])
if not living_members(KEYS[1], now)[ARGV[1]] then return {} end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[3])), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
return { now, redis.call('ZRANGE', KEYS[1], 0, -1) }
`;
