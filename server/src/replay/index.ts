/** Answers that can be continued where a connection broke: the one replay buffer, in this process and over replicas (ADR 0057). */
export { FrameNumbers, framesOf } from './number-frames.ts';
export { ReplayBuffer, type ReplayEnd, sinkOf } from './replay-buffer.ts';
export type { FoundReplay, KeptReplay, ReplayBounds, ReplayHead, Replays, ReplayWriter } from './replays.ts';
export { createReplays } from './shared-replays.ts';
