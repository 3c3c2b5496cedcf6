-- How Redis keeps and changes the counters: what decide.lua and read.lua have in common.
--
-- A counter is one string, so that one MGET reads all counters of a call and one SET writes one back. All numbers are
-- little-endian; d is a double of 8 bytes, I4 and I2 are unsigned integers, c12 is a text of 12 bytes.
--
--   window   0        8         16         24         32       40         48           56         64
--            | used d | first d | second d | amount d | last d | leased d | recalled d | leases d | leases ..., older seconds ...
--                                                                                      each 20 bytes:
--                                                                                      | replica c12 | amount d |
--                                                                                                   each 14 bytes, oldest first:
--                                                                                                   | second I4 | amount d | ms I2 |
--     used      what the whole window holds
--     first     the oldest second in it (seconds since 1970)
--     second    the second of the last admission; amount: what was reserved in it
--     last      time of the last admission in ms
--     ms        milliseconds of the last admission within an older second
--     leased    what replicas may take from it in a minute when they are cut off; leases: how many replicas
--     recalled  when a request last needed what was leased
--
--   budget   0               8              16               24              32           40
--            | posted high d | posted low d | version high d | version low d | recalled d | shares ...
--                                                                                         each 36 bytes:
--                                                                                         | replica c12 | held d | spent d | leased d |
--     posted    what the ledger has booked: high counts billions, low is the rest
--     version   of the ledger's word, in the same two parts; version high -1: not known yet
--     replica   the last 12 characters of the replica's name
--     held      by running requests of a replica of version 0.1.0; newer ones count those as spent too
--     spent     what its requests hold, running or settled and not posted yet
--     leased    what it may spend when it is cut off
--   Nothing of a share is dropped when its replica's heartbeat ends: any of its running requests may be settled in its journal,
--   which nobody else can read. It stays until the replica is back and has posted, or is forgotten. Version 0.1.0 drops `held`
--   with the heartbeat and may run beside this one, so nothing of ours is written there.
--
-- The older seconds of a window are only taken apart when one of them ends or is corrected: a reservation within the same second
-- rewrites only the head of 64 bytes. The rule is that of arithmetic.ts.
--
-- Exactness: Lua counts in doubles, exact up to 2^53. Posted amounts may be larger, so they come in two parts and only the
-- gap between limit and posted becomes one number. A gap above 2^52 (4.5 billion toman) is taken as 2^52: far more
-- than one request can hold, and never more than there is.

local NEVER = -1
local WINDOW = 60000
-- A window is renewed in the first second it is used in a minute, so it must outlive that minute's last second by its length.
local WINDOW_TTL, BUDGET_TTL = '180000', '604800000'
-- A replica uses its lease of a window for ten minutes after its last heartbeat (leased-share.ts); what it takes last counts for
-- another minute.
local LEASE_KEPT, LEASED_WINDOW_TTL = 660000, '720000'
local LARGEST = 4503599627370496
local LABEL_LENGTH = 12
local pack, parse, sub, floor, max, min = struct.pack, struct.unpack, string.sub, math.floor, math.max, math.min
local WINDOW_HEAD, WINDOW_HEAD_LENGTH, SECOND, SECOND_LENGTH = '<dddddddd', 64, '<I4dI2', 14
local LEASE, LEASE_LENGTH = '<c12d', 20
local BUDGET_HEAD, BUDGET_HEAD_LENGTH, BUDGET, SHARE, SHARE_LENGTH = '<ddddd', 40, '<dddddc12ddd', '<c12ddd', 36

-- State of this call: its time; the label of the replica that asks; the counters as they are stored; the labels of incarnations (true
-- while alive, false when their heartbeat has ended); and when each heartbeat ends or ended.
local now, label, stored
local living, heartbeat_until = {}, {}
local counters, changed = {}, {}

-- Must be called first. KEYS: incarnations, then the counters.
local function begin(time, incarnation)
  now, label = time, sub(incarnation, -LABEL_LENGTH)
  stored = redis.call('MGET', unpack(KEYS))
  for name, ends in pairs(stored[1] and cmsgpack.unpack(stored[1]) or {}) do
    living[sub(name, -LABEL_LENGTH)] = ends > now
    heartbeat_until[sub(name, -LABEL_LENGTH)] = ends
  end
end

local function touch(counter)
  if counter.touched then return end
  counter.touched = true
  changed[#changed + 1] = counter
end

local function drop_ended(window)
  local older, at = window.older, 1
  while at <= #older do
    local second, amount, ms = parse(SECOND, older, at)
    if second * 1000 + ms + WINDOW > now then break end
    window.used = window.used - amount
    at = at + SECOND_LENGTH
  end
  if at == 1 then return end
  window.older, window.whole = sub(older, at), true
  window.first = window.older == '' and window.second or parse('<I4', window.older)
  touch(window)
end

-- All fields at once: a table that grows field by field costs more than everything done with it.
local function open_window(i)
  local window = counters[i]
  if window then return window end
  local text = stored[i]
  local leased, recalled, leases = 0, 0, ''
  if text then
    local used, first, second, amount, last, holders
    used, first, second, amount, last, leased, recalled, holders = parse(WINDOW_HEAD, text)
    local leases_end = WINDOW_HEAD_LENGTH + holders * LEASE_LENGTH
    leases = sub(text, WINDOW_HEAD_LENGTH + 1, leases_end)
    -- The window counts unless it is over, or its last admission lies ahead because the clock was set back.
    if last + WINDOW > now and last - now <= WINDOW then
      window = {
        i = i, used = used, first = first, second = second, amount = amount, last = last,
        leased = leased, recalled = recalled, leases = leases,
        older = #text > leases_end and sub(text, leases_end + 1) or '', touched = false, whole = false, renewed = false,
      }
      counters[i] = window
      -- A second cannot have ended before a whole window has passed since its start.
      if first * 1000 + WINDOW <= now then drop_ended(window) end
      return window
    end
  end
  window = {
    i = i, used = 0, first = NEVER, second = NEVER, amount = 0, last = NEVER,
    leased = leased, recalled = recalled, leases = leases,
    older = '', touched = false, whole = true, renewed = true,
  }
  counters[i] = window
  return window
end

-- What is leased of a window: by this replica, by others that can give it back, and by others that are cut off or dead.
local function leases_of(window)
  local own, living_others, dead_others, kept = 0, 0, 0, ''
  for at = 1, #window.leases, LEASE_LENGTH do
    local holder, amount = parse(LEASE, window.leases, at)
    if holder == label then
      own = amount
    elseif living[holder] then
      living_others, kept = living_others + amount, kept .. sub(window.leases, at, at + LEASE_LENGTH - 1)
    elseif living[holder] == false and heartbeat_until[holder] + LEASE_KEPT > now then
      dead_others, kept = dead_others + amount, kept .. sub(window.leases, at, at + LEASE_LENGTH - 1)
    end
  end
  return own, living_others, dead_others, kept
end

local function lease_window(window, amount)
  local _, living_others, dead_others, kept = leases_of(window)
  window.leases = amount > 0 and pack(LEASE, label, amount) .. kept or kept
  window.leased = amount + living_others + dead_others
  window.whole, window.renewed = true, true
  touch(window)
end

local function empty_in(window)
  if window.used <= 0 or window.last == NEVER then return 0 end
  return window.last + WINDOW - now
end

local function older_seconds(window)
  local at = 1 - SECOND_LENGTH
  return function()
    at = at + SECOND_LENGTH
    if at > #window.older then return nil end
    return at, parse(SECOND, window.older, at)
  end
end

local function put_second(window, at, replaced, second, amount, ms)
  local older = window.older
  window.older = sub(older, 1, at - 1) .. pack(SECOND, second, amount, ms) .. sub(older, at + replaced)
  window.first, window.whole = parse('<I4', window.older), true
end

-- Only a replica that registers earlier admissions comes here.
local function add_to_older(window, second, amount, time)
  local ms = time - second * 1000
  for at, known, so_far, last_ms in older_seconds(window) do
    if known == second then return put_second(window, at, SECOND_LENGTH, second, so_far + amount, max(ms, last_ms)) end
    if known > second then return put_second(window, at, 0, second, amount, ms) end
  end
  put_second(window, #window.older + 1, 0, second, amount, ms)
end

local function add_to_window(window, amount, time)
  if amount == 0 then return end
  local second, youngest = floor(time / 1000), window.second
  window.used = window.used + amount
  touch(window)
  if second == youngest then
    window.amount, window.last = window.amount + amount, max(window.last, time)
  elseif second < youngest then
    add_to_older(window, second, amount, time)
  else
    if youngest == NEVER then
      window.first = second
    else
      window.older = window.older .. pack(SECOND, youngest, window.amount, window.last - youngest * 1000)
      window.whole = true
      if floor(second / 60) ~= floor(youngest / 60) then window.renewed = true end
    end
    window.second, window.amount, window.last = second, amount, time
  end
end

local function correct_window(window, second, delta)
  if second == window.second then
    window.amount = window.amount + delta
    window.used = window.used + delta
    return touch(window)
  end
  for at, known, amount, ms in older_seconds(window) do
    if known == second then
      put_second(window, at, SECOND_LENGTH, second, amount + delta, ms)
      window.used = window.used + delta
      return touch(window)
    end
  end
end

local function open_budget(i)
  local budget = counters[i]
  if budget then return budget end
  local text = stored[i]
  local posted_high, posted_low, version_high, version_low, recalled = 0, 0, -1, 0, 0
  local own, own_lease, others, others_lease, shares = 0, 0, 0, 0, ''
  if text then
    posted_high, posted_low, version_high, version_low, recalled = parse(BUDGET_HEAD, text)
    for at = BUDGET_HEAD_LENGTH + 1, #text, SHARE_LENGTH do
      local holder, held, spent, lease = parse(SHARE, text, at)
      if holder == label then
        own, own_lease = spent, lease
      elseif living[holder] ~= nil then
        local counted = max(0, held) + max(0, spent) + lease
        if living[holder] then others_lease = others_lease + lease end
        -- The empty share of a living replica stays for its next hold.
        if living[holder] or counted > 0 then
          others, shares = others + counted, shares .. sub(text, at, at + SHARE_LENGTH - 1)
        end
      end
    end
  end
  budget = {
    i = i, posted_high = posted_high, posted_low = posted_low, version_high = version_high, version_low = version_low,
    recalled = recalled, own = own, own_lease = own_lease, others_lease = others_lease,
    others = others, shares = shares, available = 0, touched = false, renewed = not text,
  }
  counters[i] = budget
  return budget
end

local function outstanding(budget)
  return budget.others + max(0, budget.own) + budget.own_lease
end

-- What living replicas could give back at once.
local function returnable(budget)
  return budget.others_lease + budget.own_lease
end

local function gap(limit_high, limit_low, budget)
  local difference = (limit_high - budget.posted_high) * 1e9 + (limit_low - budget.posted_low)
  return max(-LARGEST, min(LARGEST, difference))
end

local function write(i, text, ttl)
  if ttl then
    redis.call('SET', KEYS[i], text, 'PX', ttl)
  elseif #text < #stored[i] then
    redis.call('SET', KEYS[i], text, 'KEEPTTL')
  else
    -- SETRANGE is cheaper than SET, and leaves the time to live as it is.
    redis.call('SETRANGE', KEYS[i], '0', text)
  end
end

local function save()
  for _, counter in ipairs(changed) do
    local i = counter.i
    if counter.shares then
      -- An empty share stays: it will be needed again, and overwriting a text of the same length is cheaper.
      local text = pack(BUDGET, counter.posted_high, counter.posted_low, counter.version_high, counter.version_low, counter.recalled, label, 0, counter.own, counter.own_lease)
      write(i, text .. counter.shares, counter.renewed and BUDGET_TTL)
    else
      local head = pack(WINDOW_HEAD, counter.used, counter.first, counter.second, counter.amount, counter.last, counter.leased, counter.recalled, #counter.leases / LEASE_LENGTH)
      if counter.whole then
        write(i, head .. counter.leases .. counter.older, counter.renewed and (counter.leased > 0 and LEASED_WINDOW_TTL or WINDOW_TTL))
      else
        redis.call('SETRANGE', KEYS[i], '0', head)
      end
    end
  end
end
