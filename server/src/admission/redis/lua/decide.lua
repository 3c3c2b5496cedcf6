-- Changes, then reservations, each whole or not at all, in their order; every counter is read and written once for all.
--   KEYS  incarnations, then every counter once; a counter is named by its place among the keys, from 2 on
--   ARGV  incarnation, now or '', changes, reservations
--
-- Changes and reservations are packed as little-endian doubles.
--   change, 6 numbers   kind | counter | and of each kind, the rest is 0:
--     HOLD              delta                                   change of what this replica has outstanding
--     POSTED            posted in billions | rest | version in billions | rest    the ledger's word, unless a newer one is known
--     LOADED            the same, and the budget lives for another week
--     CORRECT           second | delta                          change of a window in the second in which it was counted
--     ADMITTED          time | amount                           an earlier admission that Redis has not heard of
--     LEASE_BUDGET      delta                                   change of what this replica has leased of a budget
--     LEASE_WINDOW      delta                                   the same of a window
--   reservation, 4 numbers  checks | want | usual | least      and then for every check 3 more:
--                       a negative count means: do not answer LEASED; the caller cannot wait
--     window            counter | limit | amount
--     budget           -counter | limit in billions | rest
--
-- Answers doubles: now; then for every reservation how many numbers follow, and one of
--   UNKNOWN_REPLICA                    the replica does not count (any more)
--   MISSING | check ...                budgets of these checks have no posted amount yet
--   RESERVED | grant | 0
--   REFUSED | check | detail           the check that refused; detail: ms to wait (window) or what was available (budget)
--   LEASED                             not yet: what it needs is leased by replicas that will give it back
-- RESERVED and REFUSED are followed by two numbers per check:
--   window  used | ms until it is empty
--   budget  what was available | what all replicas had outstanding
local incarnation, given_now, changes, reservations = unpack(ARGV)
-- The same numbers as in packing.ts.
local HOLD, POSTED, CORRECT, ADMITTED, LOADED, LEASE_BUDGET, LEASE_WINDOW = 1, 2, 3, 4, 5, 6, 7
local UNKNOWN_REPLICA, MISSING, RESERVED, REFUSED, LEASED = 0, 1, 2, 3, 4
local CHANGE, CHANGE_LENGTH = '<dddddd', 48
local RESERVATION, RESERVATION_LENGTH, CHECK, CHECK_LENGTH = '<dddd', 32, '<ddd', 24
-- Beyond `usual` a request may take at most one in so many parts of what the tightest budget has (FREE_SHARE in admission.ts).
local FREE_SHARE = 4

begin(clock(given_now), incarnation)

for at = 1, #changes, CHANGE_LENGTH do
  local kind, i, first, second, third, fourth = parse(CHANGE, changes, at)
  if kind == HOLD then
    local delta, budget = first, open_budget(i)
    budget.own = budget.own + delta
    touch(budget)
  elseif kind == POSTED or kind == LOADED then
    local version_high, version_low, budget = third, fourth, open_budget(i)
    if version_high > budget.version_high or (version_high == budget.version_high and version_low > budget.version_low) then
      budget.posted_high, budget.posted_low, budget.version_high, budget.version_low = first, second, version_high, version_low
    end
    if kind == LOADED then budget.renewed = true end
    touch(budget)
  elseif kind == CORRECT then
    local reserved_in, delta = first, second
    -- A Redis that forgot everything would take it from what others have registered; the registration of this replica carries it.
    if living[label] then correct_window(open_window(i), reserved_in, delta) end
  elseif kind == ADMITTED then
    local time, amount = first, second
    add_to_window(open_window(i), amount, min(now, time))
  elseif kind == LEASE_BUDGET then
    local delta, budget = first, open_budget(i)
    budget.own_lease = max(0, budget.own_lease + delta)
    touch(budget)
  elseif kind == LEASE_WINDOW then
    local delta, window = first, open_window(i)
    lease_window(window, max(0, leases_of(window) + delta))
  end
end

local function check_at(at, n)
  return at + RESERVATION_LENGTH + CHECK_LENGTH * (n - 1)
end

local function room_in(window, limit, amount)
  if amount > limit then return WINDOW end
  local used = window.used
  for _, second, reserved, ms in older_seconds(window) do
    used = used - reserved
    if used + amount <= limit then return second * 1000 + ms + WINDOW - now end
  end
  return window.last + WINDOW - now
end

-- One list for all answers, created at the length that one answer needs, because growing it would cost more than filling it.
local answers = { now, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
local length = 1
local function answer(first, second)
  answers[length + 1], answers[length + 2] = first, second
  length = length + 2
end

-- Whether a window has no room; and whether only leases that will be given back are in the way.
local function is_full(window, limit, amount)
  if window.used + window.leased + amount <= limit then return false end
  if window.leased == 0 or window.used + amount > limit then return true end
  local own, living_others, dead_others = leases_of(window)
  if window.used + own + living_others + dead_others + amount <= limit then return false end
  return true, window.used + dead_others + amount <= limit
end

-- Returns the first check that fails and its detail; the budgets without a posted amount; what the tightest budget has; and a
-- counter whose leases are in the way, unless something else refuses.
local function check(at, count, usual, least)
  local failed, failed_with, missing, leased
  local tightest = LARGEST
  for n = 1, count do
    local i, limit, amount = parse(CHECK, reservations, check_at(at, n)) -- of a budget: -key, limit in two parts
    if i > 0 then
      local window = open_window(i)
      if not failed and not missing then
        local full, by_leases = is_full(window, limit, amount)
        if full then failed, failed_with, leased = n, room_in(window, limit, amount), by_leases and (leased or window) end
      end
    else
      local budget = open_budget(-i)
      budget.available, budget.held = 0, 0
      if not failed and budget.version_high < 0 then
        missing = missing or {}
        missing[#missing + 1] = n
      elseif not failed and not missing then
        budget.held = outstanding(budget)
        budget.available = gap(limit, amount, budget) - budget.held
        local back = returnable(budget)
        local by_leases = back > 0 and budget.available < usual and budget.available + back >= least
        if by_leases then leased = leased or budget end
        if budget.available < least then failed, failed_with, leased = n, budget.available, by_leases and leased end
        tightest = min(tightest, budget.available)
      end
    end
  end
  return failed, failed_with, missing, tightest, leased
end

local function reserve(at, count, patient, want, usual, least)
  local failed, failed_with, missing, tightest, leased = check(at, count, usual, least)
  if leased and patient and not missing then
    leased.recalled = now
    touch(leased)
    return answer(1, LEASED)
  end
  if missing and not failed then
    answer(1 + #missing, MISSING)
    for _, n in ipairs(missing) do
      length = length + 1
      answers[length] = n
    end
    return
  end
  local grant = min(want, max(min(usual, tightest), floor(tightest / FREE_SHARE)))
  answer(3 + 2 * count, failed and REFUSED or RESERVED)
  answer(failed or grant, failed_with or 0)
  for n = 1, count do
    local i, _, amount = parse(CHECK, reservations, check_at(at, n))
    local counter = counters[i > 0 and i or -i]
    if i > 0 then
      if not failed then add_to_window(counter, amount, max(now, counter.last)) end
      answer(counter.used, empty_in(counter))
    else
      if not failed then
        counter.own = counter.own + grant
        touch(counter)
      end
      answer(counter.available, counter.held)
    end
  end
end

local at = 1
while at < #reservations do
  local checks, want, usual, least = parse(RESERVATION, reservations, at)
  local count = math.abs(checks)
  if living[label] then reserve(at, count, checks > 0, want, usual, least) else answer(1, UNKNOWN_REPLICA) end
  at = check_at(at, count + 1)
end
save()
return pack('<' .. string.rep('d', length), unpack(answers, 1, length))
