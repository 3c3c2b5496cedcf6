/** Usage of several calls made for one request, added up. Unlike reports within one stream these do not overlap. */
import type { Json } from '../../core/json.ts';
import { BUCKETS, type Usage } from '../../core/usage.ts';

/** undefined as soon as one call reported nothing. */
export function mergeCounts(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const [first] = usages;
  if (usages.length === 1) return first;
  const total: Usage = { buckets: {}, source: 'upstream' };
  const raw: Json[] = [];
  for (const usage of usages) {
    if (!usage) return undefined;
    if (usage.raw !== undefined) raw.push(usage.raw);
    for (const bucket of BUCKETS) {
      const units = usage.buckets[bucket];
      if (units !== undefined) total.buckets[bucket] = (total.buckets[bucket] ?? 0) + units;
    }
  }
  if (usages.length === 0) return undefined;
  return raw.length > 0 ? { ...total, raw } : total;
}
