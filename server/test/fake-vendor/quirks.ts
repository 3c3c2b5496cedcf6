/**
 * Oddities of real providers that speak the OpenAI chat protocol, by name. Each is a complete, legal answer that a careful
 * decoder must understand; `expected` says what it must understand it to mean.
 */
import type { Answer, FullAnswer } from './answer.ts';
import { answerFrames, type Delivery } from './behaviours.ts';
import { dataFrame } from './frames.ts';
import { chatChunk, chatDelta, chatUsage } from './protocols/openai-chat.ts';
import type { Behaviour } from './wire.ts';

export interface Quirk {
  behaviour: Behaviour;
  expected: Answer;
}

const TEXT: Answer = { text: 'Hello from a peculiar vendor.' };
const CALL: Answer = { toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Yazd"}' }] };
const THOUGHT: Answer = { text: 'Four.', reasoning: 'Two and two.' };
const DONE = 'data: [DONE]\n\n';

function quirk(given: Answer, make: (full: FullAnswer, frames: string[]) => string[], delivery: Delivery = {}): Quirk {
  return { behaviour: answerFrames(given, (frames, full) => make(full, frames), delivery), expected: given };
}

function toolDeltas(deltas: object[]): (full: FullAnswer) => string[] {
  return (full) => [
    chatDelta(full, { role: 'assistant', content: null }),
    ...deltas.map((delta) => chatDelta(full, { tool_calls: [delta] })),
    chatDelta(full, {}, 'tool_calls', { usage: chatUsage(full) }),
    DONE,
  ];
}

const ARGUMENTS = ['{"city":', '"Yazd"}'] as const;

export const CHAT_QUIRKS: Record<string, Quirk> = {
  'first tool delta without name': quirk(
    CALL,
    toolDeltas([
      { index: 0, id: 'call_1', type: 'function', function: { arguments: '' } },
      { index: 0, function: { name: 'weather', arguments: ARGUMENTS[0] } },
      { index: 0, function: { arguments: ARGUMENTS[1] } },
    ]),
  ),
  'missing tool id': quirk(
    { toolCalls: [{ name: 'weather', arguments: '{"city":"Yazd"}' }] },
    toolDeltas([
      { index: 0, type: 'function', function: { name: 'weather', arguments: ARGUMENTS[0] } },
      { index: 0, function: { arguments: ARGUMENTS[1] } },
    ]),
  ),
  'duplicate tool id in every delta': quirk(
    CALL,
    toolDeltas([
      { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: ARGUMENTS[0] } },
      { index: 0, id: 'call_1', type: 'function', function: { arguments: ARGUMENTS[1] } },
    ]),
  ),
  'tool index absent': quirk(
    CALL,
    toolDeltas([
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: ARGUMENTS[0] } },
      { function: { arguments: ARGUMENTS[1] } },
    ]),
  ),
  'arguments before the name': quirk(
    CALL,
    toolDeltas([
      { index: 0, id: 'call_1', type: 'function', function: { arguments: ARGUMENTS[0] } },
      { index: 0, function: { name: 'weather', arguments: ARGUMENTS[1] } },
    ]),
  ),
  'whole tool call in one delta (Ollama)': quirk(
    CALL,
    toolDeltas([
      { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: ARGUMENTS.join('') } },
    ]),
  ),
  'role and first tool call together': quirk(CALL, (full) => [
    chatDelta(full, {
      role: 'assistant',
      content: null,
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }],
    }),
    ...ARGUMENTS.map((piece) => chatDelta(full, { tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    chatDelta(full, {}, 'tool_calls'),
    chatChunk(full, [], { usage: chatUsage(full) }),
    DONE,
  ]),
  'tool calls in the finish chunk (Mistral)': quirk(CALL, (full) => {
    const call = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: ARGUMENTS.join('') },
    };
    return [
      chatDelta(full, { role: 'assistant', content: '' }),
      chatDelta(full, { tool_calls: [call] }, 'tool_calls', { usage: chatUsage(full) }),
      DONE,
    ];
  }),
  'reasoning field (Groq, OpenRouter)': quirk(THOUGHT, (_full, frames) =>
    frames.map((frame) => frame.replaceAll('"reasoning_content"', '"reasoning"')),
  ),
  'reasoning_content field (DeepSeek)': quirk(THOUGHT, (_full, frames) => frames),
  'content is a list (Mistral thinking)': quirk(THOUGHT, (full) => [
    chatDelta(full, { role: 'assistant', content: '' }),
    chatDelta(full, { content: [{ type: 'thinking', thinking: [{ type: 'text', text: full.reasoning }] }] }),
    chatDelta(full, { content: [{ type: 'text', text: full.text }] }, 'stop', { usage: chatUsage(full) }),
    DONE,
  ]),
  'usage in every chunk': quirk(TEXT, (full, frames) =>
    frames.map((frame) =>
      frame.startsWith('data: {') && !frame.includes('"usage"')
        ? frame.replace(/\}\n\n$/, `,"usage":${JSON.stringify(chatUsage(full))}}\n\n`)
        : frame,
    ),
  ),
  'usage in the finish chunk': quirk(TEXT, (full) => [
    chatDelta(full, { role: 'assistant', content: full.text }),
    chatDelta(full, {}, 'stop', { usage: chatUsage(full) }),
    DONE,
  ]),
  'usage null in content chunks': quirk(TEXT, (full) => [
    chatDelta(full, { role: 'assistant', content: full.text }, null, { usage: null }),
    chatDelta(full, {}, 'stop', { usage: null }),
    chatChunk(full, [], { usage: chatUsage(full) }),
    DONE,
  ]),
  'usage never': quirk(TEXT, (full) => [
    chatDelta(full, { role: 'assistant', content: full.text }),
    chatDelta(full, {}, 'stop'),
    DONE,
  ]),
  'comments between frames (OpenRouter)': quirk(TEXT, (_full, frames) =>
    frames.flatMap((frame) => [': OPENROUTER PROCESSING\n\n', frame]),
  ),
  'duplicate finish chunk (OpenRouter)': quirk(TEXT, (full, frames) => {
    const finish = chatDelta(full, {}, 'stop');
    return frames.flatMap((frame) => (frame === finish ? [frame, frame] : [frame]));
  }),
  'empty choices and id first (Azure)': quirk(TEXT, (_full, frames) => [
    dataFrame({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] }),
    ...frames,
  ]),
  'finish reason is an empty text (Snowflake)': quirk(TEXT, (full) => [
    chatDelta(full, { role: 'assistant', content: full.text }, ''),
    chatDelta(full, {}, 'stop', { usage: chatUsage(full) }),
    DONE,
  ]),
  'no [DONE] (Perplexity, Groq)': quirk(TEXT, (_full, frames) => frames.filter((frame) => frame !== DONE)),
  'content in the finish chunk': quirk(TEXT, (full) => [
    chatDelta(full, { role: 'assistant', content: full.text }, 'stop', { usage: chatUsage(full) }),
    DONE,
  ]),
  'moderation chunk after usage': quirk(TEXT, (full, frames) => [
    ...frames.slice(0, -1),
    chatChunk(full, [], { usage: chatUsage(full) }),
    chatChunk(full, [], { moderation: { flagged: false } }),
    DONE,
  ]),
  'CRLF frames': quirk(TEXT, (_full, frames) => frames, { crlf: true }),
  'one byte per packet': quirk({ text: 'سلام 👋 hello' }, (_full, frames) => frames, { perByte: true }),
  'multi-line data': quirk(TEXT, (_full, frames) =>
    frames.map((frame) => (frame.startsWith('data: {') ? frame.replace('data: {', 'data: {\ndata: ') : frame)),
  ),
  'no space after data:': quirk(TEXT, (_full, frames) => frames.map((frame) => frame.replace('data: ', 'data:'))),
  '300 KB single frame': quirk({ text: 'x'.repeat(300_000), pieces: 1 }, (_full, frames) => frames),
};

/** Not answers but failures in disguise: the decoder must report a failure for each. */
export const CHAT_STREAM_ERRORS: Record<string, string[]> = {
  'error object in a chunk with choices': [
    dataFrame({
      id: 'x',
      choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
      error: { code: 502, message: 'bad' },
    }),
    DONE,
  ],
  'numeric error code (OpenRouter, Gemini)': [dataFrame({ error: { code: 429, message: 'Rate limited' } })],
  'event: error (Groq)': ['event: error\ndata: {"error":{"message":"bad","type":"server_error"}}\n\n'],
  'error text instead of object': [dataFrame({ error: 'model crashed' })],
};
