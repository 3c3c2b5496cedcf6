import { cutIntoPieces, type FullAnswer } from '../answer.ts';
import { eventFrame } from '../frames.ts';

const STOP_REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const;

/** Here the input count excludes what was read from or written to the cache. */
export function messagesUsage(answer: FullAnswer, output = answer.usage.output) {
  const { input, cached = 0, cacheWrite = 0 } = answer.usage;
  return {
    input_tokens: input - cached - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}

function blocksOf(answer: FullAnswer): Record<string, unknown>[] {
  const blocks: Record<string, unknown>[] = [];
  if (answer.reasoning) blocks.push({ type: 'thinking', thinking: answer.reasoning, signature: `sig-${answer.id}` });
  if (answer.text) blocks.push({ type: 'text', text: answer.text });
  for (const call of answer.toolCalls) {
    blocks.push({ type: 'tool_use', id: call.id, name: call.name, input: call.arguments });
  }
  return blocks;
}

export function messagesWhole(answer: FullAnswer): object {
  return {
    id: `msg_${answer.id}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: blocksOf(answer).map((block) =>
      block['type'] === 'tool_use' ? { ...block, input: JSON.parse(String(block['input']) || '{}') } : block,
    ),
    stop_reason: STOP_REASONS[answer.finish],
    stop_sequence: null,
    usage: messagesUsage(answer),
  };
}

export function messageStart(answer: FullAnswer): string {
  const message = { ...messagesWhole(answer), content: [], stop_reason: null, usage: messagesUsage(answer, 1) };
  return eventFrame('message_start', { type: 'message_start', message });
}

export function messageEnd(answer: FullAnswer, usage: object = { output_tokens: answer.usage.output }): string[] {
  const delta = { stop_reason: STOP_REASONS[answer.finish], stop_sequence: null };
  return [
    eventFrame('message_delta', { type: 'message_delta', delta, usage }),
    eventFrame('message_stop', { type: 'message_stop' }),
  ];
}

export function messagesFrames(answer: FullAnswer): string[] {
  const frames = [messageStart(answer), eventFrame('ping', { type: 'ping' })];
  for (const [at, block] of blocksOf(answer).entries()) frames.push(...blockFrames(block, at, answer.pieces));
  return [...frames, ...messageEnd(answer)];
}

export function blockFrames(block: Record<string, unknown>, index: number, pieces: number): string[] {
  const delta = (value: object) =>
    eventFrame('content_block_delta', { type: 'content_block_delta', index, delta: value });
  const start = (value: object) =>
    eventFrame('content_block_start', { type: 'content_block_start', index, content_block: value });
  const stop = eventFrame('content_block_stop', { type: 'content_block_stop', index });
  if (block['type'] === 'thinking') {
    const texts = cutIntoPieces(String(block['thinking']), pieces);
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      ...texts.map((thinking) => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature: block['signature'] }),
      stop,
    ];
  }
  if (block['type'] === 'tool_use') {
    const json = String(block['input']);
    const parts = json === '' || json === '{}' ? [''] : cutIntoPieces(json, pieces);
    return [
      start({ type: 'tool_use', id: block['id'], name: block['name'], input: {} }),
      ...parts.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
      stop,
    ];
  }
  const texts = cutIntoPieces(String(block['text']), pieces);
  return [start({ type: 'text', text: '' }), ...texts.map((text) => delta({ type: 'text_delta', text })), stop];
}
