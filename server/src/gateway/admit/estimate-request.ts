/**
 * The estimate of a chat request. Nearly all requests are counted at once; long texts and documents are read in turns
 * with other requests, and only those requests wait.
 */
import type { ChatRequest } from '../../core/chat.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Target } from '../../routing/index.ts';
import { documentPages, pictureTokens } from '../../vendors/index.ts';
import { promptTooLong } from '../attempt/failures.ts';
import type { Gateway } from '../gateway.ts';
import { countInput, type InputTokens } from './count-input.ts';
import type { MediaLimits } from './count-media.ts';
import { type Estimate, type EstimateOptions, estimateModels } from './estimate.ts';
import { standingLimitChecks } from './limit-checks.ts';
import type { RequestPlan } from './plan.ts';

export function estimateRequest(
  request: ChatRequest,
  plan: RequestPlan,
  key: KeySnapshot,
  extraInput: number,
  gw: Gateway,
): MaybePromise<Estimate> {
  const options = estimateOptions(request, plan, key, extraInput, gw);
  const counted = countInput(request, options.media);
  if (counted.isWhole) return estimateModels(request, plan.models, options, counted);
  return readTheRest({ request, plan, key, options, counted }, gw);
}

/** What the estimate needs beside the request. */
function estimateOptions(
  request: ChatRequest,
  { targets, thinksUnseen, hosted }: RequestPlan,
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
    growing: request.stream && !thinksUnseen && request.heldBack !== true,
    leastLimit: Math.max(
      0,
      ...targets.map(({ route }) => upstreamProtocols[route.provider.protocol].upstream.leastOutputLimit ?? 0),
    ),
    hosted,
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

interface Asked {
  request: ChatRequest;
  plan: RequestPlan;
  key: KeySnapshot;
  options: EstimateOptions;
  counted: InputTokens;
}

async function readTheRest({ request, plan, key, options, counted }: Asked, gw: Gateway): Promise<Estimate> {
  const estimate = (): Estimate => estimateModels(request, plan.models, options, counted);
  const longest = mayBeShortened(request) ? Number.POSITIVE_INFINITY : options.media().inputLimit;
  await counted.finish({
    randomBytes: gw.randomBytes,
    checkLeast: (tokens) => {
      if (tokens > longest) throw promptTooLong({ tokens: Math.floor(tokens), maximum: longest });
    },
    canPayMax: () => canPay(estimate(), key, gw),
  });
  return estimate();
}

/** Some providers are asked to truncate what does not fit; then no prompt is too long. */
function mayBeShortened({ extras }: ChatRequest): boolean {
  return (
    extras['openai-responses']?.['truncation'] !== undefined || extras['openai-chat']?.['transforms'] !== undefined
  );
}

async function canPay({ want, usual = want }: Estimate, key: KeySnapshot, gw: Gateway): Promise<boolean> {
  const { budgets } = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  const states = await gw.admission.budgets(budgets);
  return budgets.every(({ id }) => {
    const state = states.get(id);
    return state !== undefined && state.limit - state.posted - state.held >= usual;
  });
}
