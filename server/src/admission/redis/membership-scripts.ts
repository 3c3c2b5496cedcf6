/** Who counts: a map of replica names to the time their heartbeat ends, packed in one string that every take reads too. */
import { CLOCK } from './counter-scripts.ts';

const MEMBERS = `
local function read_members(now)
  local members = cmsgpack.unpack(redis.call('GET', KEYS[1]) or cmsgpack.pack({}))
  for member, ends in pairs(members) do
    if ends <= now then members[member] = nil end
  end
  return members
end

local function write_members(members)
  redis.call('SET', KEYS[1], cmsgpack.pack(members))
  local names = {}
  for member in pairs(members) do names[#names + 1] = member end
  return names
end
`;

/**
 * KEYS: members, epoch. ARGV: member, now or '', heartbeat ms, name for a new epoch, ms to settle a new epoch.
 * Answers: now, epoch, ms until the epoch is settled, living members.
 * A missing epoch means that Redis is new or has lost everything.
 */
export const JOIN = `${CLOCK}${MEMBERS}
local now = clock(ARGV[2])
local epoch = redis.call('HMGET', KEYS[2], 'name', 'settled')
if not epoch[1] then
  epoch = { ARGV[4], string.format('%.0f', now + tonumber(ARGV[5])) }
  redis.call('HSET', KEYS[2], 'name', epoch[1], 'settled', epoch[2])
end
local members = read_members(now)
members[ARGV[1]] = now + tonumber(ARGV[3])
return { now, epoch[1], math.max(0, tonumber(epoch[2]) - now), write_members(members) }
`;

/** KEYS: members. ARGV: member, now or '', heartbeat ms. Answers: now, living members; nothing when not a member. */
export const BEAT = `${CLOCK}${MEMBERS}
local now = clock(ARGV[2])
local members = read_members(now)
if not members[ARGV[1]] then return {} end
members[ARGV[1]] = now + tonumber(ARGV[3])
return { now, write_members(members) }
`;

/** KEYS: members. ARGV: now or '', the names that count no more. */
export const LEAVE = `${CLOCK}${MEMBERS}
local members = read_members(clock(ARGV[1]))
for i = 2, #ARGV do members[ARGV[i]] = nil end
return #write_members(members)
`;
