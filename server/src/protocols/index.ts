export { EventFold, foldEvents } from './fold.ts';
export type * from './protocol.ts';
export { isFailure } from './protocol.ts';
export { SseFrameTooLarge, SseParser, writeFrame } from './sse.ts';
export { openGuard } from './stream-guard.ts';
export { unfoldResponse } from './unfold.ts';
