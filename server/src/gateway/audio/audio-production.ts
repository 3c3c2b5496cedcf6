/** Estimates and productions of audio, in the form that admission and settlement use. */
import type { Model } from '../../catalog/index.ts';
import { ZERO } from '../../core/money.ts';
import { costOf } from '../../core/price.ts';
import { promptTokens, totalTokens, type Usage } from '../../core/usage.ts';
import { pricedByTokens } from '../../protocols/index.ts';
import type { Estimate } from '../admit/estimate.ts';
import type { Production } from '../settle/production.ts';

/** Length is known before anything is sent, so the hold is the whole price: there is no shorter answer to fall back to. */
export function estimateAudio(model: Model, usage: Usage): Estimate {
  const want = costOf(model.price, usage);
  const byTokens = pricedByTokens(model.price);
  const inputTokens = byTokens ? promptTokens(usage) : 0;
  const outputTokens = byTokens ? totalTokens(usage) - inputTokens : 0;
  return {
    inputTokens,
    likelyInput: inputTokens,
    outputTokens,
    explicit: true,
    growing: false,
    want,
    least: want,
    surcharge: ZERO,
    unsureInput: 0,
  };
}

export interface AudioProduction {
  /** The provider said that this was all. */
  finished: boolean;
  /** Some of it went to the client. */
  delivered: boolean;
  usage: Usage;
}

export function productionOf({ finished, delivered, usage }: AudioProduction): Production {
  return {
    finishSeen: finished,
    generated: delivered,
    delivered,
    reported: usage.source === 'upstream' ? usage : undefined,
    counted: () => usage,
  };
}
