export type * from './moderation.ts';
export { decodeModerationRequest, encodeModerationResponse } from './moderation-client.ts';
export { decodeModeration, encodeModeration } from './moderation-upstream.ts';
