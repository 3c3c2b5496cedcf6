/** A request for reasoning, in the terms of OpenAI's protocols. */
import type { ReasoningEffort, ReasoningRequest } from '../core/chat.ts';

export function isReasoningOff({ mode, effort }: ReasoningRequest): boolean {
  return mode === 'disabled' || effort === 'none';
}

/** They know no budget in tokens; the nearest word for one is chosen by what OpenAI's own models spend. */
export function effortOf(reasoning: ReasoningRequest): ReasoningEffort | undefined {
  if (isReasoningOff(reasoning)) return 'none';
  if (reasoning.effort !== undefined) return reasoning.effort === 'max' ? 'xhigh' : reasoning.effort;
  if (reasoning.budgetTokens !== undefined) {
    if (reasoning.budgetTokens <= 2_048) return 'low';
    return reasoning.budgetTokens <= 8_192 ? 'medium' : 'high';
  }
  return reasoning.mode === 'enabled' ? 'medium' : undefined;
}
