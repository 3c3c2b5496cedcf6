/**
 * What a receipt says about how a request found its route, beside the plan: only what somebody demanded or switched on.
 */
import { AUTO_REASONS, type AutoPreference, type AutoReason } from '@dargah/core/auto-router.ts';
import type { DataDemand, DataPolicy } from '@dargah/core/data-policy.ts';

/** The models that `auto` considered, the chosen one first. */
export interface AutoTold {
  prefer: AutoPreference;
  candidates: { model: string; reason: AutoReason }[];
}

export interface RoutingTold {
  auto?: AutoTold;
  /** The customer's own key that was tried first, and whether it answered. */
  ownKey?: { id: string; feePercent: number; answered: boolean };
  /** What the key and the request demanded, and what the answering provider states. */
  data?: { demanded: readonly DataDemand[]; stated: DataPolicy | null };
}

export function routingJson({ auto, data, ownKey }: RoutingTold) {
  return {
    auto: auto
      ? {
          prefer: auto.prefer,
          candidates: auto.candidates.map(({ model, reason }) => ({ model, reason, text: AUTO_REASONS[reason] })),
        }
      : null,
    own_key: ownKey ? { id: ownKey.id, fee_percent: ownKey.feePercent, answered: ownKey.answered } : null,
    data: data
      ? {
          demanded: data.demanded.map(({ noTraining, maxRetentionDays, regions }) => ({
            no_training: noTraining,
            max_retention_days: maxRetentionDays,
            regions: regions === null ? null : [...regions],
          })),
          stated: data.stated && { ...data.stated },
        }
      : null,
  };
}
