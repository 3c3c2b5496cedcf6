/** What a receipt tells of how a request found its route, beside the plan: only what somebody demanded or switched on. */
import type { DataDemand, DataPolicy } from '@dargah/core/data-policy.ts';

export interface RoutingTold {
  /** What key and request demanded, and what whoever answered states. */
  data?: { demanded: readonly DataDemand[]; stated: DataPolicy | null };
}

export function routingJson({ data }: RoutingTold) {
  return {
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
