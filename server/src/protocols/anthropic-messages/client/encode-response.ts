/** A whole answer in this protocol. */
import type { ChatResponse, Part, ToolCallPart } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView } from '../../protocol.ts';
import { encodeServiceExtension } from '../../service-extension.ts';
import { joinToolSignature } from '../../tool-signature.ts';
import { encodeCitation } from '../citations.ts';
import { toolInput } from '../encode-blocks.ts';
import { encodeFinish } from '../finish.ts';
import { kept, keptBlock, PROTOCOL } from '../own-fields.ts';
import { sealReasoning } from '../reasoning-seal.ts';
import { ToolIds } from '../tool-ids.ts';
import { encodeUsage } from '../usage.ts';

export function encodeResponse(response: ChatResponse, view: ClientView, closing: AnswerClosing): JsonObject {
  // The protocol has one choice; a request in it cannot ask for more.
  const choice = response.choices[0] ?? { parts: [], finish: { kind: 'stop' as const } };
  const ids = new ToolIds();
  const content: JsonObject[] = [];
  for (const part of choice.parts) {
    const block = encodeAnswerPart(part, ids);
    if (block) content.push(block);
  }
  const { reason, sequence } = encodeFinish(choice.finish, {
    refused: choice.parts.some(({ kind }) => kind === 'refusal'),
    calledTool: choice.parts.some(({ kind }) => kind === 'tool-call'),
  });
  const svc = encodeServiceExtension(closing);
  return {
    ...kept(response),
    id: view.responseId,
    type: 'message',
    role: 'assistant',
    model: view.model,
    content,
    stop_reason: reason,
    stop_sequence: sequence,
    usage: encodeUsage(closing),
    ...(svc && { svc }),
  };
}

/**
 * Returns undefined for what this protocol has no block for: generated pictures, files and audio (its transcript is
 * text).
 */
function encodeAnswerPart(part: Part, ids: ToolIds): JsonObject | undefined {
  const whole = keptBlock(part);
  if (whole) return whole;
  switch (part.kind) {
    case 'text': {
      if (part.text === '' && !part.citations?.length) return undefined;
      const citations = part.citations?.map(encodeCitation);
      return { type: 'text', text: part.text, ...(citations?.length && { citations }) };
    }
    case 'refusal':
      return part.text === '' ? undefined : { type: 'text', text: part.text };
    case 'audio':
      return part.transcript ? { type: 'text', text: part.transcript } : undefined;
    case 'reasoning': {
      if (part.origin === PROTOCOL && part.encrypted !== undefined) {
        return { type: 'redacted_thinking', data: part.encrypted };
      }
      const signature = sealReasoning(part);
      return part.text === '' && signature === '' ? undefined : { type: 'thinking', thinking: part.text, signature };
    }
    case 'tool-call':
      return { type: 'tool_use', id: answerToolId(part, ids), name: part.name, input: toolInput(part), ...kept(part) };
    case 'image':
    case 'file':
    case 'tool-result':
      return undefined;
  }
}

export function answerToolId({ id, signature }: Pick<ToolCallPart, 'id' | 'signature'>, ids: ToolIds): string {
  return joinToolSignature(ids.of(id), signature);
}
