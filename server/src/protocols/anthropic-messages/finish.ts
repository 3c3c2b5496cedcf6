/** Maps finish reasons in both directions. */
import type { Finish, FinishKind } from '../../core/chat.ts';
import type { Json } from '../../core/json.ts';

const KIND_OF_REASON: Record<string, FinishKind> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  // The server's own tool loop paused; the client goes on by sending the turn back.
  pause_turn: 'stop',
  compaction: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
};

const REASON_OF_KIND: Record<FinishKind, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
};

export function decodeFinish(reason: Json | undefined, sequence: Json | undefined): Finish {
  if (typeof reason !== 'string') return { kind: 'stop' };
  return {
    kind: KIND_OF_REASON[reason] ?? 'stop',
    raw: reason,
    ...(typeof sequence === 'string' && { stopSequence: sequence }),
  };
}

interface AnswerFacts {
  refused: boolean;
  calledTool: boolean;
}

export function encodeFinish(
  finish: Finish,
  { refused, calledTool }: AnswerFacts,
): { reason: string; sequence: string | null } {
  // The raw reason is returned only when it is one of this protocol.
  if (finish.raw !== undefined && KIND_OF_REASON[finish.raw] === finish.kind) {
    return { reason: finish.raw, sequence: finish.stopSequence ?? null };
  }
  if (refused && finish.kind === 'stop') return { reason: 'refusal', sequence: null };
  // A client that reads "end_turn" would never run the tool it was asked to run.
  if (calledTool && finish.kind === 'stop') return { reason: 'tool_use', sequence: null };
  if (finish.kind === 'stop' && finish.stopSequence !== undefined) {
    return { reason: 'stop_sequence', sequence: finish.stopSequence };
  }
  return { reason: REASON_OF_KIND[finish.kind], sequence: null };
}
