/** What the estimate of a chat request must know beside the request. */
import type { ChatRequest } from '../../core/chat.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Target } from '../../routing/index.ts';
import { documentPages, pictureTokens } from '../../vendors/index.ts';
import type { Gateway } from '../gateway.ts';
import type { MediaLimits } from './count-media.ts';
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
    media: () => largestMedia(targets),
  };
}

function largestMedia(targets: readonly Target[]): MediaLimits {
  const pictures = targets.map(({ model, route }) => pictureTokens(model.id, route.upstreamModel));
  return {
    pictures: {
      max: Math.max(...pictures.map(({ max }) => max)),
      pixelsPerToken: Math.min(...pictures.map(({ pixelsPerToken }) => pixelsPerToken)),
    },
    inputLimit: Math.max(...targets.map(({ model }) => model.context ?? Number.POSITIVE_INFINITY)),
    pageLimit: Math.max(...targets.map(({ model, route }) => documentPages(model.id, route.upstreamModel))),
  };
}
