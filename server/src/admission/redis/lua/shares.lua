-- What some incarnations have outstanding, a page of all budgets at a time. Only for dead incarnations: it reads every budget there is.
--   KEYS  incarnations; the budgets are found by their names, which are on the same node as this key
--   ARGV  cursor ('0' begins), pattern of the budgets' names, how many to look at, then the labels of the incarnations
--   Answers the next cursor ('0': that was the last page); then per budget and incarnation with something outstanding three texts: the
--   budget's name, the label, the amount.
--
-- A budget in which one of these incarnations has something lives for another week: with it, its share would be forgotten.
local cursor, pattern, count = unpack(ARGV)
local asked = {}
for i = 4, #ARGV do asked[ARGV[i]] = true end

local page = redis.call('SCAN', cursor, 'MATCH', pattern, 'COUNT', count)
local answer = { page[1] }
local names = page[2]
local texts = #names > 0 and redis.call('MGET', unpack(names)) or {}
for n, name in ipairs(names) do
  local text, found = texts[n] or '', false
  for at = BUDGET_HEAD_LENGTH + 1, #text, SHARE_LENGTH do
    local holder, held, spent, lease = parse(SHARE, text, at)
    local amount = max(0, held) + max(0, spent) + lease
    if asked[holder] and amount > 0 then
      found = true
      answer[#answer + 1], answer[#answer + 2], answer[#answer + 3] = name, holder, string.format('%.0f', amount)
    end
  end
  if found then redis.call('PEXPIRE', name, BUDGET_TTL) end
end
return answer
