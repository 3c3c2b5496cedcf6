/** Step 8: passages of the caller's knowledge bases, put before the model within the budget already held. */

import type { ChatRequest } from '../../core/chat.ts';
import { invalidRequest } from '../../core/errors.ts';
import { reasons } from '../../core/reasons.ts';
import { type KeySnapshot, withDemand } from '../../keys/index.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import type { Grounded } from './retriever.ts';

/** The bases a request asked for, checked, with the tokens their passages may take. */
export interface KnowledgePlan {
  baseIds: string[];
  budgetTokens: number;
}

export const NO_KNOWLEDGE: KnowledgePlan = { baseIds: [], budgetTokens: 0 };

export function asksKnowledge({ svc }: ChatRequest): boolean {
  return svc.knowledgeBaseIds.length > 0;
}

export async function openKnowledge(request: ChatRequest, key: KeySnapshot, gw: Gateway): Promise<KnowledgePlan> {
  const baseIds = request.svc.knowledgeBaseIds;
  const [unknown] = await gw.retriever.unknown(baseIds, key);
  if (unknown !== undefined) throw invalidRequest('svc.knowledge_base_ids', reasons.noSuchBase(unknown));
  return { baseIds, budgetTokens: gw.retriever.budgetTokens };
}

export async function groundRequest(
  request: ChatRequest,
  plan: KnowledgePlan,
  run: Run,
  gw: Gateway,
): Promise<Grounded> {
  const grounded = await gw.retriever.ground(request, plan.baseIds, withDemand(run.key, request.svc.routing?.data));
  run.retrievedTokens = grounded.tokens;
  run.passages = grounded.passages;
  return grounded;
}
