-- Changes, then reservations, each whole or not at all, in their order; every counter is read and written once for all.
--   KEYS  incarnations, then every counter once; a counter is named by its place among the keys, from 2 on
--   ARGV  incarnation, now or '', changes, lists, reservations
--
-- Changes, lists and reservations are packed as little-endian doubles. Requests of one key check the same counters against the same limits,
-- so what they check is told and looked up once for all of them.
--   change, 6 numbers   kind | counter | and of each kind, the rest is 0:
--     HOLD              delta                                   change of what this replica has outstanding
--     POSTED            posted in billions | rest | version in billions | rest    the ledger's word, unless a newer one is known
--     LOADED            the same, and the budget lives for another week
--     CORRECT           second | delta                          change of a window in the second in which it was counted
--     ADMITTED          time | amount                           an earlier admission that Redis has not heard of
--     LEASE_BUDGET      delta                                   change of what this replica has leased of a budget
--     LEASE_WINDOW      delta                                   the same of a window
--   list                what reservations check: the number of checks, and then for every check 3 more:
--     window            counter | limit | 0
--     budget           -counter | limit in billions | rest
--   reservation         list | want | usual | least | amount, for every window of the list
--                       lists are counted from one; a negative one means: do not answer LEASED; the caller cannot wait
--
-- Answers doubles: now; then for every reservation how many numbers follow, and one of
--   UNKNOWN_REPLICA                    the replica does not count (any more)
--   MISSING | check ...                budgets of these checks have no posted amount yet
--   RESERVED | grant | 0
--   REFUSED | check | detail           the check that refused; detail: ms to wait (window) or what was available (budget)
--   LEASED                             not yet: what it needs is leased by replicas that will give it back
-- RESERVED and REFUSED are followed by two numbers for every window, RESERVED also by one for every budget, in the order of the list:
--   window  used | ms until it is empty
--   budget  what was available
local incarnation, given_now, changes, lists, reservations = unpack(ARGV)
-- The same numbers as in packing.ts.
local HOLD, POSTED, CORRECT, ADMITTED, LOADED, LEASE_BUDGET, LEASE_WINDOW = 1, 2, 3, 4, 5, 6, 7
local UNKNOWN_REPLICA, MISSING, RESERVED, REFUSED, LEASED = 0, 1, 2, 3, 4
local CHANGE, CHANGE_LENGTH = '<dddddd', 48
local NUMBER, NUMBER_LENGTH, CHECK, CHECK_LENGTH = '<d', 8, '<ddd', 24
-- The place of the first amount among the numbers of a reservation.
local FIRST_AMOUNT = 5
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

-- Reads a list and looks up its counters. `room` is false for a window; of a budget it is what limit and posted leave, which no
-- reservation changes. Checks from the first budget without a posted amount on cannot be decided: `decidable` ends before it.
local function read_list(at)
  local count = parse(NUMBER, lists, at)
  local counters_of, limits, rooms, windows, missing, decidable = {}, {}, {}, 0, nil, count
  at = at + NUMBER_LENGTH
  for n = 1, count do
    local i, limit, rest = parse(CHECK, lists, at)
    if i > 0 then
      counters_of[n], limits[n], rooms[n], windows = open_window(i), limit, false, windows + 1
    else
      local budget = open_budget(-i)
      counters_of[n], limits[n], rooms[n] = budget, 0, gap(limit, rest, budget)
      if budget.version_high < 0 then
        if not missing then missing, decidable = {}, n - 1 end
        missing[#missing + 1] = n
      end
    end
    at = at + CHECK_LENGTH
  end
  local list = {
    count = count, counters = counters_of, limits = limits, rooms = rooms, windows = windows, missing = missing, decidable = decidable,
    format = '<dddd' .. string.rep('d', windows),
  }
  return list, at
end

-- Returns what the tightest budget has; a counter whose leases are in the way, unless something else refuses; and the first check that
-- fails and its detail.
local function check(list, numbers, usual, least)
  local counters_of, limits, rooms = list.counters, list.limits, list.rooms
  local tightest, leased, amount_at = LARGEST, nil, FIRST_AMOUNT
  for n = 1, list.decidable do
    local counter, room = counters_of[n], rooms[n]
    if room then
      local own = counter.own
      -- The same as outstanding(), without the calls: this runs for every budget of every reservation.
      local available = room - counter.others - (own > 0 and own or 0) - counter.own_lease
      counter.available = available
      if available < usual or available < least then
        local back = returnable(counter)
        local by_leases = back > 0 and available < usual and available + back >= least
        if by_leases then leased = leased or counter end
        if available < least then return tightest, by_leases and leased, n, available end
      end
      if available < tightest then tightest = available end
    else
      local limit, amount = limits[n], numbers[amount_at]
      local full, by_leases = is_full(counter, limit, amount)
      if full then return tightest, by_leases and (leased or counter), n, room_in(counter, limit, amount) end
      amount_at = amount_at + 1
    end
  end
  return tightest, leased
end

local function refuse(list, failed, failed_with)
  answer(3 + 2 * list.windows, REFUSED)
  answer(failed, failed_with)
  for n = 1, list.count do
    local window = list.counters[n]
    if not list.rooms[n] then answer(window.used, empty_in(window)) end
  end
end

local function take(list, numbers, grant)
  answer(3 + list.count + list.windows, RESERVED)
  answer(grant, 0)
  local amount_at = FIRST_AMOUNT
  for n = 1, list.count do
    local counter = list.counters[n]
    if list.rooms[n] then
      counter.own = counter.own + grant
      touch(counter)
      length = length + 1
      answers[length] = counter.available
    else
      add_to_window(counter, numbers[amount_at], max(now, counter.last))
      answer(counter.used, empty_in(counter))
      amount_at = amount_at + 1
    end
  end
end

local function reserve(list, numbers)
  local patient, want, usual, least = numbers[1] > 0, numbers[2], numbers[3], numbers[4]
  local tightest, leased, failed, failed_with = check(list, numbers, usual, least)
  if list.missing and not failed then
    answer(1 + #list.missing, MISSING)
    for _, n in ipairs(list.missing) do
      length = length + 1
      answers[length] = n
    end
  elseif leased and patient then
    leased.recalled = now
    touch(leased)
    answer(1, LEASED)
  elseif failed then
    refuse(list, failed, failed_with)
  else
    take(list, numbers, min(want, max(min(usual, tightest), floor(tightest / FREE_SHARE))))
  end
end

local known_lists, at = {}, 1
while at <= #lists do
  known_lists[#known_lists + 1], at = read_list(at)
end

at = 1
while at < #reservations do
  local list = known_lists[math.abs(parse(NUMBER, reservations, at))]
  if living[label] then reserve(list, { parse(list.format, reservations, at) }) else answer(1, UNKNOWN_REPLICA) end
  at = at + NUMBER_LENGTH * (FIRST_AMOUNT - 1 + list.windows)
end
save()
return pack('<' .. string.rep('d', length), unpack(answers, 1, length))
