import { cutIntoPieces, type FullAnswer } from '../answer.ts';
import { dataFrame } from '../frames.ts';

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', content_filter: 'SAFETY' } as const;

/** Here the candidates' count excludes thoughts. */
function usageMetadata(answer: FullAnswer) {
  const { input, cached, output, reasoning = 0 } = answer.usage;
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    ...(cached === undefined ? {} : { cachedContentTokenCount: cached }),
  };
}

function reply(answer: FullAnswer, parts: object[], finished: boolean): object {
  return {
    candidates: [
      { content: { role: 'model', parts }, index: 0, ...(finished ? { finishReason: FINISH[answer.finish] } : {}) },
    ],
    usageMetadata: usageMetadata(answer),
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

function callParts(answer: FullAnswer): object[] {
  return answer.toolCalls.map((call) => ({
    functionCall: { name: call.name, args: JSON.parse(call.arguments || '{}') },
    thoughtSignature: Buffer.from(`sig-${call.id}`).toString('base64'),
  }));
}

export function geminiWhole(answer: FullAnswer): object {
  const parts: object[] = [];
  if (answer.reasoning) parts.push({ text: answer.reasoning, thought: true });
  if (answer.text) parts.push({ text: answer.text });
  return reply(answer, [...parts, ...callParts(answer)], true);
}

export function geminiFrames(answer: FullAnswer): string[] {
  const thoughts = cutIntoPieces(answer.reasoning ?? '', answer.pieces).map((text) => [{ text, thought: true }]);
  const texts = cutIntoPieces(answer.text ?? '', answer.pieces).map((text) => [{ text }]);
  const calls = callParts(answer).map((part) => [part]);
  const steps: object[][] = [...thoughts, ...texts, ...calls];
  if (steps.length === 0) steps.push([]);
  return steps.map((parts, i) => dataFrame(reply(answer, parts, i === steps.length - 1)));
}
