export { FastPath, type FastPathOptions } from './fast-path.ts';
export type { ConnectionTimes, PlainRequest } from './plain-connection.ts';
export type { PlainHead } from './plain-head.ts';
export { type PlainReply, UNWATCHED_BYTES } from './plain-reply.ts';
export { giveBack } from './read-memory.ts';
