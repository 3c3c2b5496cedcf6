export type { Answer, AnswerToolCall, AnswerUsage } from './answer.ts';
export { answer, type Delivery, json, rawStream } from './behaviours.ts';
export { type FakeVendor, startFakeVendor } from './fake-vendor.ts';
export * as faults from './faults.ts';
export { dataFrame } from './frames.ts';
export { createGate, type Gate } from './gate.ts';
export { MESSAGES_QUIRKS } from './messages-quirks.ts';
export { CHAT_QUIRKS, CHAT_STREAM_ERRORS, type Quirk } from './quirks.ts';
export type { Behaviour, Dialect, Ending, RecordedRequest, Wire } from './wire.ts';
