/** What runs inside Redis for requests. A script runs alone: that makes takes over many counters atomic for all replicas. */
import { CLOCK, COUNTERS } from './counter-scripts.ts';

/**
 * Changes, then takes, each take whole or not at all, in their order; every counter is read and written once for all.
 * KEYS: members, then every counter once. ARGV: member, now or '', changes, takes, both packed as doubles:
 *   change: kind, number of the key, four values. 1 delta: outstanding of this member; 2 posted, version (two each): the
 *           ledger's word, unless a newer one is known; 3 second, delta: correct a window where it was taken;
 *           4 time, amount: register an earlier admission; 5: as 2, and the budget lives on (a week from now).
 *   take:   demands, want, least; then per demand three: key, limit, amount of a window, or −key, limit (two) of a budget.
 * Answers doubles: now; then per take how many follow, and one of
 *   0: not a member | 1, demand…: budgets without posted
 *   2, grant, what the tightest budget had, … | 3, demand that refused, wait in ms or what was available, …
 *   … two per demand: window → used, ms until empty; budget → what was available, what all had outstanding.
 */
export const DECIDE = `${CLOCK}
local member, now = ARGV[1], clock(ARGV[2])
local label = string.sub(member, -12)
${COUNTERS}
local changes, takes = ARGV[3], ARGV[4]

for at = 1, #changes, 48 do
  local kind, i, a, b, c, d = parse('<dddddd', changes, at)
  if kind == 1 then
    local budget = open_budget(i)
    budget.own = budget.own + a
    touch(budget)
  elseif kind == 2 or kind == 5 then
    local budget = open_budget(i)
    if c > budget.version_high or (c == budget.version_high and d > budget.version_low) then
      budget.posted_high, budget.posted_low, budget.version_high, budget.version_low = a, b, c, d
    end
    if kind == 5 then budget.renewed = true end
    touch(budget)
  elseif kind == 3 then
    correct_window(open_window(i), a, b)
  else
    add_to_window(open_window(i), b, min(now, a))
  end
end

local function room_in(window, limit, amount)
  if amount > limit then return WINDOW end
  local used = window.used
  for _, second, taken, ms in older_seconds(window) do
    used = used - taken
    if used + amount <= limit then return second * 1000 + ms + WINDOW - now end
  end
  return window.last + WINDOW - now
end

-- One list for all answers, as long from the start as one answer needs: growing it would cost more than filling it.
local answers = { now, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
local length = 1
local function answer(first, second)
  answers[length + 1], answers[length + 2] = first, second
  length = length + 2
end

-- The first demand that fails and what it said; the budgets without posted; what the tightest has.
local function check(at, count, least)
  local failed, failed_with, missing
  local tightest = LARGEST
  for n = 1, count do
    local i, limit, amount = parse('<ddd', takes, at + 24 * n)
    if i > 0 then
      local window = open_window(i)
      if not failed and not missing and window.used + amount > limit then
        failed, failed_with = n, room_in(window, limit, amount)
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
        if budget.available < least then failed, failed_with = n, budget.available end
        tightest = min(tightest, budget.available)
      end
    end
  end
  return failed, failed_with, missing, tightest
end

local function take(at, count, want, least)
  local failed, failed_with, missing, tightest = check(at, count, least)
  if missing and not failed then
    answer(1 + #missing, 1)
    for _, n in ipairs(missing) do
      length = length + 1
      answers[length] = n
    end
    return
  end
  local grant = min(want, tightest)
  answer(3 + 2 * count, failed and 3 or 2)
  answer(failed or grant, failed and failed_with or tightest)
  for n = 1, count do
    local i, _, amount = parse('<ddd', takes, at + 24 * n)
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
while at < #takes do
  local count, want, least = parse('<ddd', takes, at)
  if living[label] then take(at, count, want, least) else answer(1, 0) end
  at = at + 24 * (count + 1)
end
save()
return pack('<' .. string.rep('d', length), unpack(answers, 1, length))
`;

/**
 * KEYS: members, then the counters. ARGV: now or '', then 'w' or 'b' each.
 * Answers three values per counter: used, ms until empty, nothing; or posted (two, or nothing) and outstanding.
 */
export const READ = `${CLOCK}
local now, label = clock(ARGV[1]), ''
${COUNTERS}
local answer = {}
for i = 2, #KEYS do
  local values
  if ARGV[i] == 'w' then
    local window = open_window(i)
    values = { window.used, empty_in(window), 0 }
  else
    local budget = open_budget(i)
    values = { budget.posted_high, budget.posted_low, outstanding(budget) }
    if budget.version_high < 0 then values[1], values[2] = nil, nil end
  end
  for n = 1, 3 do answer[#answer + 1] = values[n] and string.format('%.0f', values[n]) or '' end
end
return answer
`;
