import { cutIntoPieces, type FullAnswer } from '../answer.ts';
import { eventFrame } from '../frames.ts';

interface Item {
  type: string;
  id: string;
  [field: string]: unknown;
}

function usageOf(answer: FullAnswer) {
  const { input, output, cached, reasoning } = answer.usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached ?? 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: input + output,
  };
}

function itemsOf(answer: FullAnswer): Item[] {
  const items: Item[] = [];
  if (answer.reasoning) {
    items.push({
      type: 'reasoning',
      id: `rs_${answer.id}`,
      summary: [{ type: 'summary_text', text: answer.reasoning }],
    });
  }
  if (answer.text) {
    const content = [{ type: 'output_text', text: answer.text, annotations: [], logprobs: [] }];
    items.push({ type: 'message', id: `msg_${answer.id}`, status: 'completed', role: 'assistant', content });
  }
  answer.toolCalls.forEach((call, i) => {
    const { name, arguments: args } = call;
    const id = `fc_${answer.id}_${i}`;
    items.push({ type: 'function_call', id, call_id: call.id, name, arguments: args, status: 'completed' });
  });
  return items;
}

function envelope(answer: FullAnswer, status: string, output: Item[], usage: object | null): object {
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    model: answer.model,
    output,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage,
  };
}

function finalStatus(answer: FullAnswer): string {
  return answer.finish === 'length' ? 'incomplete' : 'completed';
}

export function responsesWhole(answer: FullAnswer): object {
  return envelope(answer, finalStatus(answer), itemsOf(answer), usageOf(answer));
}

export function responsesFrames(answer: FullAnswer): string[] {
  let sequence = 0;
  const frames: string[] = [];
  const emit = (type: string, fields: object) => {
    frames.push(eventFrame(type, { type, sequence_number: sequence++, ...fields }));
  };
  emit('response.created', { response: envelope(answer, 'in_progress', [], null) });
  emit('response.in_progress', { response: envelope(answer, 'in_progress', [], null) });
  for (const [at, item] of itemsOf(answer).entries()) emitItem(item, at, answer.pieces, emit);
  const status = finalStatus(answer);
  emit(`response.${status}`, { response: responsesWhole(answer) });
  return frames;
}

function emitItem(
  item: Item,
  output_index: number,
  pieces: number,
  emit: (type: string, fields: object) => void,
): void {
  const at = { item_id: item.id, output_index };
  if (item.type === 'message') {
    const [part] = item['content'] as { text: string }[];
    const text = part?.text ?? '';
    const empty = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    emit('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', content: [] } });
    emit('response.content_part.added', { ...at, content_index: 0, part: empty });
    for (const delta of cutIntoPieces(text, pieces)) {
      emit('response.output_text.delta', { ...at, content_index: 0, delta, logprobs: [] });
    }
    emit('response.output_text.done', { ...at, content_index: 0, text, logprobs: [] });
    emit('response.content_part.done', { ...at, content_index: 0, part });
  } else if (item.type === 'function_call') {
    const args = String(item['arguments']);
    emit('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', arguments: '' } });
    for (const delta of cutIntoPieces(args, pieces)) emit('response.function_call_arguments.delta', { ...at, delta });
    emit('response.function_call_arguments.done', { ...at, arguments: args });
  } else {
    const [part] = item['summary'] as { text: string }[];
    const text = part?.text ?? '';
    emit('response.output_item.added', { output_index, item: { ...item, summary: [] } });
    emit('response.reasoning_summary_part.added', {
      ...at,
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    });
    for (const delta of cutIntoPieces(text, pieces)) {
      emit('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta });
    }
    emit('response.reasoning_summary_text.done', { ...at, summary_index: 0, text });
    emit('response.reasoning_summary_part.done', { ...at, summary_index: 0, part });
  }
  emit('response.output_item.done', { output_index, item });
}
