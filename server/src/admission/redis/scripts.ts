/** What runs inside Redis. A script runs alone: that makes reservations over many counters atomic for all replicas. */
import { createHash } from 'node:crypto';
import clock from './lua/clock.lua';
import counters from './lua/counters.lua';
import decide from './lua/decide.lua';
import heartbeat from './lua/heartbeat.lua';
import incarnations from './lua/incarnations.lua';
import join from './lua/join.lua';
import lease from './lua/lease.lua';
import leave from './lua/leave.lua';
import read from './lua/read.lua';
import shares from './lua/shares.lua';

export interface Script {
  text: string;
  digest: string;
}

/** Redis has no modules: a script is the files it needs, one after the other. */
function script(...files: string[]): Script {
  const text = files.join('\n');
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

export const SCRIPTS = {
  decide: script(clock, counters, decide),
  lease: script(clock, counters, lease),
  read: script(clock, counters, read),
  shares: script(counters, shares),
  join: script(clock, incarnations, join),
  heartbeat: script(clock, incarnations, heartbeat),
  leave: script(clock, incarnations, leave),
};
