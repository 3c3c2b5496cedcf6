import { cutIntoPieces, type FullAnswer } from '../answer.ts';
import { dataFrame } from '../frames.ts';

export function chatUsage(answer: FullAnswer) {
  const { input, output, cached, reasoning } = answer.usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoning ?? 0 },
  };
}

export function chatWhole(answer: FullAnswer): object {
  return {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text ?? null,
          refusal: null,
          ...(answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
          ...(answer.toolCalls.length > 0
            ? {
                tool_calls: answer.toolCalls.map((call) => ({
                  id: call.id,
                  type: 'function',
                  function: { name: call.name, arguments: call.arguments },
                })),
              }
            : {}),
        },
        logprobs: null,
        finish_reason: answer.finish,
      },
    ],
    usage: chatUsage(answer),
    system_fingerprint: 'fp_fake',
  };
}

export function chatChunk(answer: FullAnswer, choices: object[], more: object = {}): string {
  return dataFrame({
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: answer.model,
    choices,
    ...more,
  });
}

export function chatDelta(answer: FullAnswer, delta: object, finish: string | null = null, more: object = {}): string {
  return chatChunk(answer, [{ index: 0, delta, logprobs: null, finish_reason: finish }], more);
}

export function chatFrames(answer: FullAnswer, includeUsage: boolean): string[] {
  const frames = [chatDelta(answer, { role: 'assistant', content: answer.toolCalls.length > 0 ? null : '' })];
  for (const piece of cutIntoPieces(answer.reasoning ?? '', answer.pieces)) {
    frames.push(chatDelta(answer, { reasoning_content: piece }));
  }
  for (const piece of cutIntoPieces(answer.text ?? '', answer.pieces))
    frames.push(chatDelta(answer, { content: piece }));
  answer.toolCalls.forEach((call, index) => {
    const opening = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    frames.push(chatDelta(answer, { tool_calls: [opening] }));
    for (const piece of cutIntoPieces(call.arguments, answer.pieces)) {
      frames.push(chatDelta(answer, { tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  });
  frames.push(chatDelta(answer, {}, answer.finish));
  if (includeUsage) frames.push(chatChunk(answer, [], { usage: chatUsage(answer) }));
  frames.push('data: [DONE]\n\n');
  return frames;
}
