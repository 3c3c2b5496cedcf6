/** Why the answer ended. */
import type { Finish, FinishKind } from '../../core/chat.ts';
import type { Json } from '../../core/json.ts';

const KIND: Record<string, FinishKind> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
};

export function decodeFinish(reason: Json | undefined): Finish {
  return typeof reason === 'string' ? { kind: KIND[reason] ?? 'stop', raw: reason } : { kind: 'stop' };
}
