/**
 * How Redis keeps and changes the counters: the part that the scripts of takes, changes and reads have in common.
 *
 * A counter is one string, so that one MGET reads all counters of a call and one SET writes one back:
 *   window: used, first second, youngest second, its amount, time of its last admission (doubles); then the older
 *           seconds, oldest first, fourteen bytes each: second, amount, milliseconds of its last admission.
 *   budget: posted and its version, each in two doubles (billions and rest; version −1: not known yet); then for each
 *           replica with something outstanding twenty bytes: label and amount.
 * The older seconds of a window are only taken apart when one of them ends or is corrected: a take within the same
 * second touches five numbers. The rule is that of arithmetic.ts.
 *
 * Exactness: Lua counts in doubles, exact up to 2^53. Posted amounts may be larger, so they come in two parts and only
 * the gap between limit and posted becomes one number. A gap above 2^52 (4.5 thousand million toman) is taken as 2^52:
 * far more than one request can hold, and never more than there is.
 */

export const CLOCK = `
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;

/** Expects locals `now` and `label` (of the replica that asks); KEYS: members, then the counters. */
export const COUNTERS = `
local WINDOW, BUDGET_IDLE = 60000, 7 * 86400000
local LARGEST = 4503599627370496
local LABEL_LENGTH = 12
local pack, parse, sub, floor, max, min = struct.pack, struct.unpack, string.sub, math.floor, math.max, math.min
local WINDOW_HEAD, SECOND, SECOND_LENGTH = '<ddddd', '<I4dI2', 14
local BUDGET_HEAD, SHARE, SHARE_LENGTH = '<dddd', '<c12d', 20

local stored = redis.call('MGET', unpack(KEYS))
local living = {}
for member, ends in pairs(stored[1] and cmsgpack.unpack(stored[1]) or {}) do
  if ends > now then living[sub(member, -LABEL_LENGTH)] = true end
end
local counters, changed = {}, {}

local function touch(counter)
  if counter.touched then return end
  counter.touched = true
  changed[#changed + 1] = counter
end

local function drop_ended(window)
  local at = 1
  while at <= #window.older do
    local second, amount, ms = parse(SECOND, window.older, at)
    if second * 1000 + ms + WINDOW > now then break end
    window.used = window.used - amount
    at = at + SECOND_LENGTH
  end
  if at == 1 then return end
  window.older = sub(window.older, at)
  window.first = window.older == '' and window.second or parse('<I4', window.older)
  touch(window)
end

local function open_window(i)
  local window = counters[i]
  if window then return window end
  window = { key = KEYS[i], used = 0, older = '' }
  counters[i] = window
  local text = stored[i]
  if not text then return window end
  local used, first, second, amount, last = parse(WINDOW_HEAD, text)
  -- Over; or from a time that has not come yet, after the clock was set back: its times mean nothing any more.
  if last + WINDOW <= now or last - now > WINDOW then return window end
  window.used, window.first, window.second, window.amount, window.last = used, first, second, amount, last
  window.older = sub(text, 41)
  -- A second cannot have ended before its own start is a window old.
  if first * 1000 + WINDOW <= now then drop_ended(window) end
  return window
end

local function empty_in(window)
  if window.used <= 0 or not window.last then return 0 end
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
  window.older = sub(window.older, 1, at - 1) .. pack(SECOND, second, amount, ms) .. sub(window.older, at + replaced)
  window.first = parse('<I4', window.older)
end

-- Only a replica that registers what it took earlier comes here.
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
  local second = floor(time / 1000)
  window.used = window.used + amount
  touch(window)
  if second == window.second then
    window.amount, window.last = window.amount + amount, max(window.last, time)
  elseif window.second and second < window.second then
    add_to_older(window, second, amount, time)
  else
    if window.second then
      window.older = window.older .. pack(SECOND, window.second, window.amount, window.last - window.second * 1000)
    end
    window.first, window.second, window.amount, window.last = window.first or second, second, amount, time
    window.renewed = true
  end
end

local function correct_window(window, second, delta)
  if second == window.second then
    window.amount = window.amount + delta
  else
    local found
    for at, known, amount, ms in older_seconds(window) do
      if known == second then
        put_second(window, at, SECOND_LENGTH, second, amount + delta, ms)
        found = true
        break
      end
    end
    if not found then return end
  end
  window.used = window.used + delta
  touch(window)
end

local function open_budget(i)
  local budget = counters[i]
  if budget then return budget end
  budget = { key = KEYS[i], version_high = -1, version_low = 0, posted_high = 0, posted_low = 0, own = 0, others = 0, shares = '' }
  counters[i] = budget
  local text = stored[i]
  if not text then
    budget.renewed = true
    return budget
  end
  budget.posted_high, budget.posted_low, budget.version_high, budget.version_low = parse(BUDGET_HEAD, text)
  for at = 33, #text, SHARE_LENGTH do
    local holder, amount = parse(SHARE, text, at)
    if holder == label then
      budget.own = amount
    elseif living[holder] then
      budget.others = budget.others + max(0, amount)
      budget.shares = budget.shares .. sub(text, at, at + SHARE_LENGTH - 1)
    end
  end
  return budget
end

local function outstanding(budget)
  return budget.others + max(0, budget.own)
end

local function gap(limit_high, limit_low, budget)
  local difference = (limit_high - budget.posted_high) * 1e9 + (limit_low - budget.posted_low)
  return max(-LARGEST, min(LARGEST, difference))
end

local function save()
  for _, counter in ipairs(changed) do
    local text, life
    if counter.shares then
      text = pack(BUDGET_HEAD, counter.posted_high, counter.posted_low, counter.version_high, counter.version_low) .. counter.shares
      if counter.own ~= 0 then text = text .. pack(SHARE, label, counter.own) end
      life = BUDGET_IDLE
    else
      text = pack(WINDOW_HEAD, counter.used, counter.first, counter.second, counter.amount, counter.last) .. counter.older
      life = 2 * WINDOW
    end
    if counter.renewed then
      redis.call('SET', counter.key, text, 'PX', life)
    else
      redis.call('SET', counter.key, text, 'KEEPTTL')
    end
  end
end
`;
