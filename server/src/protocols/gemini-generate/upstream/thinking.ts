/** How hard the model should think: effort and token budgets of the other protocols, in Google's two forms. */
import type { ReasoningEffort, ReasoningRequest } from '../../../core/chat.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { kept } from '../own-fields.ts';
import { type GeminiFamily, isBeforeThinking, isThirdGeneration } from './model-family.ts';

type ThinkingLevel = 'minimal' | 'low' | 'medium' | 'high';

/** Tokens per effort, as Google's own OpenAI-compatible endpoint translates them. */
const BUDGETS: Record<Exclude<ReasoningEffort, 'none'>, number> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
};

/** What each size accepts. A pro model cannot stop thinking, so its smallest budget is not zero. */
const BUDGET_BOUNDS: Record<GeminiFamily['size'], { off: number; smallest: number; largest: number }> = {
  pro: { off: 128, smallest: 128, largest: 32_768 },
  flash: { off: 0, smallest: 1, largest: 24_576 },
  'flash-lite': { off: 0, smallest: 512, largest: 24_576 },
  other: { off: 0, smallest: 1, largest: 24_576 },
};

/** The model decides for itself. */
const DYNAMIC_BUDGET = -1;

export function thinkingConfig(
  reasoning: ReasoningRequest | undefined,
  family: GeminiFamily,
  drop: (field: string) => void,
): JsonObject | undefined {
  if (!reasoning) return undefined;
  // A client of this protocol has written it for its model, so it stays.
  const own = kept(reasoning)?.['thinkingConfig'];
  if (isJsonObject(own)) return own;
  const off = reasoning.effort === 'none' || reasoning.mode === 'disabled';
  if (isBeforeThinking(family)) {
    if (!off) drop('reasoning');
    return undefined;
  }
  const amount = isThirdGeneration(family) ? levelFields(reasoning, off, family) : budgetFields(reasoning, off, family);
  return off || hidesThoughts(reasoning) ? amount : { includeThoughts: true, ...amount };
}

function hidesThoughts({ summary }: ReasoningRequest): boolean {
  return summary === 'omitted' || summary === 'none';
}

function levelFields(reasoning: ReasoningRequest, off: boolean, family: GeminiFamily): JsonObject {
  const level = off ? 'minimal' : wantedLevel(reasoning);
  return level === undefined ? {} : { thinkingLevel: nearestLevel(level, family) };
}

function wantedLevel({ effort, budgetTokens }: ReasoningRequest): ThinkingLevel | undefined {
  switch (effort) {
    case 'minimal':
    case 'low':
    case 'medium':
    case 'high':
      return effort;
    case 'xhigh':
    case 'max':
      return 'high';
    default:
      if (budgetTokens === undefined) return undefined;
      if (budgetTokens <= 2048) return 'low';
      return budgetTokens <= BUDGETS.medium ? 'medium' : 'high';
  }
}

/** Pro models have no `minimal`, and the first of them no `medium`: the next level up is better than a refusal. */
function nearestLevel(level: ThinkingLevel, { size, generation }: GeminiFamily): ThinkingLevel {
  if (size !== 'pro') return level;
  if (level === 'minimal') return 'low';
  return level === 'medium' && generation === 3 ? 'high' : level;
}

function budgetFields(reasoning: ReasoningRequest, off: boolean, { size }: GeminiFamily): JsonObject {
  const bounds = BUDGET_BOUNDS[size];
  if (off) return { thinkingBudget: bounds.off };
  const { effort, budgetTokens } = reasoning;
  const wanted = budgetTokens ?? (effort && effort !== 'none' ? BUDGETS[effort] : undefined);
  if (wanted === undefined) return reasoning.mode === 'adaptive' ? { thinkingBudget: DYNAMIC_BUDGET } : {};
  return { thinkingBudget: Math.min(bounds.largest, Math.max(bounds.smallest, wanted)) };
}
