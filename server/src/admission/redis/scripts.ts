/** What runs inside Redis for requests. A script runs alone: that makes takes over many counters atomic for all replicas. */
import { CLOCK, COUNTERS } from './counter-scripts.ts';

/**
 * Changes, then takes, each take whole or not at all, in their order; every counter is read and written once for all.
 * KEYS: members, then every counter once. ARGV: member, now or '', changes, takes, both packed as doubles:
 *   change: kind, number of the key, four values. 1 delta: outstanding of this member; 2 posted, version (two each): the
 *           ledger's word, unless a newer one is known; 3 second, delta: correct a window where it was taken;
 *           4 time, amount: register an earlier admission.
 *   take:   claims, want, least; then per claim three: key, limit, amount of a window, or −key, limit (two) of a budget.
 * Answers doubles: now; then per take how many follow, and one of
 *   0: not a member | 1, claim…: budgets without posted
 *   2, grant, what the tightest budget had, … | 3, claim that refused, wait in ms or what was available, …
 *   … two per claim: window → used, ms until empty; budget → what was available, what all had outstanding.
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
  elseif kind == 2 then
    local budget = open_budget(i)
    if c > budget.version_high or (c == budget.version_high and d > budget.version_low) then
      budget.posted_high, budget.posted_low, budget.version_high, budget.version_low = a, b, c, d
    end
    budget.renewed = true
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
  return window.last and window.last + WINDOW - now or WINDOW
end

local function take(at, count, want, least)
  local claims, amounts, available, held = {}, {}, {}, {}
  local failed, failed_with, missing
  local grant, tightest = want, LARGEST
  for n = 1, count do
    local i, limit, amount = parse('<ddd', takes, at + 24 * n)
    if i > 0 then
      local window = open_window(i)
      claims[n], amounts[n] = window, amount
      if not failed and not missing and window.used + amount > limit then
        failed, failed_with = n, room_in(window, limit, amount)
      end
    elseif not failed then
      local budget = open_budget(-i)
      claims[n] = budget
      if budget.version_high < 0 then
        missing = missing or { 1 }
        missing[#missing + 1] = n
      elseif not missing then
        held[n] = outstanding(budget)
        available[n] = gap(limit, amount, budget) - held[n]
        if available[n] < least then failed, failed_with = n, available[n] end
        grant = min(grant, available[n])
        tightest = min(tightest, available[n])
      end
    end
  end
  if missing and not failed then return missing end

  local answer = failed and { 3, failed, failed_with } or { 2, grant, tightest }
  for n = 1, count do
    local claim = claims[n]
    if amounts[n] then
      if not failed then add_to_window(claim, amounts[n], max(now, claim.last or now)) end
      answer[2 * n + 2], answer[2 * n + 3] = claim.used, empty_in(claim)
    else
      if not failed then
        claim.own = claim.own + grant
        touch(claim)
      end
      answer[2 * n + 2], answer[2 * n + 3] = available[n] or 0, held[n] or 0
    end
  end
  return answer
end

local answers = { pack('<d', now) }
local at = 1
while at < #takes do
  local count, want, least = parse('<ddd', takes, at)
  local answer = living[label] and take(at, count, want, least) or { 0 }
  answers[#answers + 1] = pack('<' .. string.rep('d', #answer + 1), #answer, unpack(answer))
  at = at + 24 * (count + 1)
end
save()
return table.concat(answers)
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
