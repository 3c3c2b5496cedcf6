/** Realtime sessions as OpenAI and compatible servers speak them over a WebSocket: the events, and what they cost. */
export { checkedSession, type RealtimeClientEvent, readRealtimeClientEvent } from './client-events.ts';
export {
  answersByItself,
  detectionIn,
  outputPieceOf,
  withCost,
  withoutWords,
  withPublicModel,
} from './server-events.ts';
export { base64Bytes, bytesPerSecond, soundTokens } from './sound.ts';
export { readRealtimeUsage } from './usage.ts';
