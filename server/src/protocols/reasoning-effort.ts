/** A wish for reasoning in the words of OpenAI's protocols. */
import type { ReasoningEffort, ReasoningRequest } from '../core/chat.ts';

export function isReasoningOff({ mode, effort }: ReasoningRequest): boolean {
  return mode === 'disabled' || effort === 'none';
}

/** They know no budget in tokens; the nearest word for one is chosen by what OpenAI's own models spend. */
export function effortOf(wish: ReasoningRequest): ReasoningEffort | undefined {
  if (isReasoningOff(wish)) return 'none';
  if (wish.effort !== undefined) return wish.effort === 'max' ? 'xhigh' : wish.effort;
  if (wish.budgetTokens !== undefined) {
    if (wish.budgetTokens <= 2_048) return 'low';
    return wish.budgetTokens <= 8_192 ? 'medium' : 'high';
  }
  return wish.mode === 'enabled' ? 'medium' : undefined;
}
