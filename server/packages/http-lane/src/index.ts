export { Lane, type LaneOptions } from './lane.ts';
export type { ConnectionTimes, PlainRequest } from './plain-connection.ts';
export type { PlainHead } from './plain-head.ts';
export { type PlainReply, UNWATCHED_BYTES } from './plain-reply.ts';
