/**
 * Thinking, fitted to what the provider accepts. The wire has two ways to ask for it: a token budget (below `max_tokens`,
 * at least 1024) and, on newer models, `adaptive` with an effort. A combination the provider refuses costs the client its
 * answer, so thinking gives way, with a warning, before the request does.
 */
import type { ReasoningEffort, ReasoningRequest } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { kept } from '../own-fields.ts';

const MIN_BUDGET_TOKENS = 1024;
const MAX_BUDGET_TOKENS = 128_000;

/** Share of the output limit that may go into thinking. */
const BUDGET_SHARE: Record<Exclude<ReasoningEffort, 'none'>, number> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.95,
};

const WIRE_EFFORT: Record<Exclude<ReasoningEffort, 'none'>, string> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

export interface Thinking {
  thinking?: JsonObject;
  effort?: string;
}

export interface ThinkingLimits {
  maxTokens: number;
  /** The model takes `adaptive` and no budget. */
  adaptive: boolean;
  /** The client forces a tool, which excludes a budget; adaptive thinking goes with it. */
  forcedTool: boolean;
  /** The history ends in a tool loop whose assistant turn shows no thinking; with a budget that is refused. */
  loopWithoutThinking: boolean;
}

export function planThinking(request: ReasoningRequest | undefined, limits: ThinkingLimits, warnings: string[]) {
  if (!request) return {};
  return fitThinking(requestedThinking(request, limits), limits, warnings);
}

/** What the request asks for, before the limits. A request of this protocol keeps its own form. */
function requestedThinking(request: ReasoningRequest, { maxTokens, adaptive }: ThinkingLimits): Thinking {
  const own = kept(request);
  if (own) {
    const { thinking, effort } = own as { thinking?: JsonObject; effort?: string };
    return { ...(thinking && { thinking }), ...(effort !== undefined && { effort }) };
  }
  const { mode, effort, budgetTokens, summary } = request;
  if (mode === 'disabled' || effort === 'none') return { thinking: { type: 'disabled' } };
  const display = summary !== undefined && summary !== 'none' ? { display: 'summarized' } : {};
  if (adaptive) {
    const requested = effort ?? effortOfBudget(budgetTokens, maxTokens);
    return { thinking: { type: 'adaptive', ...display }, ...(requested && { effort: WIRE_EFFORT[requested] }) };
  }
  const share = BUDGET_SHARE[effort ?? 'medium'];
  const budget = budgetTokens ?? Math.min(MAX_BUDGET_TOKENS, Math.floor(maxTokens * share));
  return { thinking: { type: 'enabled', budget_tokens: Math.max(MIN_BUDGET_TOKENS, budget) } };
}

/** It is also called for relayed bodies, which must be adapted once a limit was lowered. */
export function fitThinking({ thinking, effort }: Thinking, limits: ThinkingLimits, warnings: string[]): Thinking {
  const kept: Thinking = effort === undefined ? {} : { effort };
  if (!thinking || thinking['type'] === 'disabled') return thinking ? { thinking, ...kept } : kept;
  // Only clients of this protocol, or models known for it, use `adaptive`, so it stays.
  if (thinking['type'] !== 'enabled') return { thinking, ...kept };
  if (limits.adaptive) return adaptiveInstead(thinking, effort, limits);
  if (limits.forcedTool) {
    warnings.push('thinking dropped: the provider does not think when a tool is forced');
    return {};
  }
  return { ...fitBudget(thinking, limits, warnings), ...kept };
}

function adaptiveInstead(thinking: JsonObject, effort: string | undefined, { maxTokens }: ThinkingLimits): Thinking {
  const { type: _type, budget_tokens: budget, ...rest } = thinking;
  const requested = effortOfBudget(budget, maxTokens);
  const word = effort ?? (requested && WIRE_EFFORT[requested]);
  return { thinking: { ...rest, type: 'adaptive' }, ...(word !== undefined && { effort: word }) };
}

function fitBudget(
  thinking: JsonObject,
  { maxTokens, loopWithoutThinking }: ThinkingLimits,
  warnings: string[],
): Thinking {
  if (loopWithoutThinking) {
    warnings.push('thinking dropped: the tool calls in the history came without thinking blocks');
    return {};
  }
  const budget = thinking['budget_tokens'];
  if (typeof budget !== 'number' || budget < maxTokens) return { thinking };
  // The limit is what the wallet pays for, so it stays and the budget shrinks, leaving room for the answer.
  const fitting = Math.max(MIN_BUDGET_TOKENS, Math.floor(maxTokens * BUDGET_SHARE.high));
  if (fitting < maxTokens) return { thinking: { ...thinking, budget_tokens: fitting } };
  warnings.push(`thinking dropped: max_tokens leaves no room for the least budget of ${MIN_BUDGET_TOKENS}`);
  return {};
}

function effortOfBudget(budget: Json | undefined, maxTokens: number): Exclude<ReasoningEffort, 'none'> | undefined {
  if (typeof budget !== 'number') return undefined;
  const share = budget / Math.max(1, maxTokens);
  if (share <= BUDGET_SHARE.low) return 'low';
  return share <= BUDGET_SHARE.medium ? 'medium' : 'high';
}

/** Whether the history ends in a tool loop none of whose assistant turns shows thinking. */
export function endsInLoopWithoutThinking(messages: readonly Json[]): boolean {
  let inLoop = false;
  for (let at = messages.length - 1; at > 0; at -= 2) {
    if (!hasBlock(messages[at], 'tool_result')) break;
    const turn = messages[at - 1];
    if (!hasBlock(turn, 'tool_use')) break;
    if (hasBlock(turn, 'thinking') || hasBlock(turn, 'redacted_thinking')) return false;
    inLoop = true;
  }
  return inLoop;
}

function hasBlock(message: Json | undefined, type: string): boolean {
  const content = isJsonObject(message) ? message['content'] : undefined;
  return Array.isArray(content) && content.some((block) => isJsonObject(block) && block['type'] === type);
}
