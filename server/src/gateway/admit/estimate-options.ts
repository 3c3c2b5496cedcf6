/** What the estimate of a chat request must know beside the request. */
import type { ChatRequest } from '../../core/chat.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Gateway } from '../gateway.ts';
import type { EstimateOptions } from './estimate.ts';
import type { ChatPlan } from './plan.ts';
import { showsItsOutput } from './visible-output.ts';

export function estimateOptions(
  request: ChatRequest,
  { targets }: ChatPlan,
  key: KeySnapshot,
  extraInput: number,
  { history, settings }: Gateway,
): EstimateOptions {
  return {
    account: key.account.id,
    history,
    defaultOutput: settings.defaultOutputTokens,
    leastOutput: settings.holdStepTokens,
    extraInput,
    growing: request.stream && targets.every((target) => showsItsOutput(request, target)),
  };
}
