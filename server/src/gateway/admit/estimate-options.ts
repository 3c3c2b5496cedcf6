/** What the estimate of a chat request must know beside the request. */
import type { ChatRequest } from '../../core/chat.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Target } from '../../routing/index.ts';
import { type PictureTokens, pictureTokens } from '../../vendors/index.ts';
import type { Gateway } from '../gateway.ts';
import type { EstimateOptions } from './estimate.ts';
import type { ChatPlan } from './plan.ts';
import { showsItsOutput } from './visible-output.ts';

export function estimateOptions(
  request: ChatRequest,
  { targets }: ChatPlan,
  key: KeySnapshot,
  extraInput: number,
  { history, settings, upstreamProtocols }: Gateway,
): EstimateOptions {
  return {
    account: key.account.id,
    history,
    defaultOutput: settings.defaultOutputTokens,
    leastOutput: settings.holdStepTokens,
    extraInput,
    growing: request.stream && targets.every((target) => showsItsOutput(request, target, upstreamProtocols)),
    leastLimit: Math.max(
      0,
      ...targets.map(({ route }) => upstreamProtocols[route.provider.protocol].upstream.leastOutputLimit ?? 0),
    ),
    pictures: () => largestPictures(targets),
  };
}

function largestPictures(targets: readonly Target[]): PictureTokens {
  const all = targets.map(({ model, route }) => pictureTokens(model.id, route.upstreamModel));
  return {
    most: Math.max(...all.map(({ most }) => most)),
    pixelsPerToken: Math.min(...all.map(({ pixelsPerToken }) => pixelsPerToken)),
  };
}
