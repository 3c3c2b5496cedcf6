/** Oddities seen in Anthropic Messages streams. */
import type { Answer } from './answer.ts';
import { answerFrames } from './behaviours.ts';
import { eventFrame } from './frames.ts';
import { blockFrames, messageEnd, messageStart, messagesUsage } from './protocols/anthropic-messages.ts';
import type { Quirk } from './quirks.ts';

const TEXT: Answer = {
  text: 'Hello from a peculiar vendor.',
  usage: { input: 100, cached: 40, cacheWrite: 10, output: 7 },
};
const CALL: Answer = { toolCalls: [{ id: 'toolu_1', name: 'now', arguments: '' }], usage: { input: 20, output: 5 } };

export const MESSAGES_QUIRKS: Record<string, Quirk> = {
  'input tokens repeated in message_delta': {
    expected: TEXT,
    behaviour: answerFrames(TEXT, (_frames, full) => [
      messageStart(full),
      ...blockFrames({ type: 'text', text: full.text }, 0, 2),
      ...messageEnd(full, messagesUsage(full)),
    ]),
  },
  'duplicated message_start': {
    expected: TEXT,
    behaviour: answerFrames(TEXT, (frames, full) => [messageStart(full), ...frames]),
  },
  'pings everywhere': {
    expected: TEXT,
    behaviour: answerFrames(TEXT, (frames) => frames.flatMap((frame) => [frame, eventFrame('ping', { type: 'ping' })])),
  },
  'tool without arguments': { expected: CALL, behaviour: answerFrames(CALL, (frames) => frames) },
  'padded JSON': {
    expected: TEXT,
    behaviour: answerFrames(TEXT, (frames) => frames.map((frame) => frame.replace(/\}\n\n$/, '}          \n\n'))),
  },
  'unknown event type': {
    expected: TEXT,
    behaviour: answerFrames(TEXT, (frames) => [
      ...frames.slice(0, 1),
      eventFrame('vendor_news', { type: 'vendor_news', text: 'hello' }),
      ...frames.slice(1),
    ]),
  },
};
