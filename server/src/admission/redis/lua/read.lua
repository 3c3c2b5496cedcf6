-- What counters hold, without a change.
--   KEYS  incarnations, then the counters
--   ARGV  now or '', then one letter per counter: 'w' for a window, 'b' for a budget
--   Answers three texts per counter:
--     window  used, ms until it is empty, 0
--     budget  posted in billions and rest ('' and '' when it is not known), what all replicas have outstanding, without what
--             those that are there have only leased
local given_now = ARGV[1]

begin(clock(given_now), '')
local answer = {}
for i = 2, #KEYS do
  local values
  if ARGV[i] == 'w' then
    local window = open_window(i)
    values = { window.used, empty_in(window), 0 }
  else
    local budget = open_budget(i)
    values = { budget.posted_high, budget.posted_low, outstanding(budget) - returnable(budget) }
    if budget.version_high < 0 then values[1], values[2] = nil, nil end
  end
  for n = 1, 3 do answer[#answer + 1] = values[n] and string.format('%.0f', values[n]) or '' end
end
return answer
