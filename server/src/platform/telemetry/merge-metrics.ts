/** The metrics of several processes as those of one. */
import type { ExportedMetric, ExportedValue } from './series.ts';

/** Gauges of which every process has its share. Of the others (states, lags, versions) the highest is told. */
const SHARED_OUT = new Set([
  'dargah_journal_depth',
  'dargah_memory_budget_bytes',
  'dargah_memory_held_bytes',
  'dargah_memory_peak_bytes',
  'dargah_memory_waiting',
  'dargah_otlp_dropped_spans',
  'dargah_posting_failures',
  'dargah_requests_running',
  'nodejs_external_memory_bytes',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'process_open_fds',
  'process_resident_memory_bytes',
]);

export function mergeMetrics(processes: readonly (readonly ExportedMetric[])[]): ExportedMetric[] {
  const families = new Map<string, { metric: ExportedMetric; values: Map<string, ExportedValue> }>();
  for (const metrics of processes)
    for (const metric of metrics) {
      const family = families.get(metric.name) ?? { metric, values: new Map<string, ExportedValue>() };
      families.set(metric.name, family);
      const adds = metric.type !== 'gauge' || SHARED_OUT.has(metric.name);
      for (const value of metric.values) addValue(family.values, value, adds);
    }
  return [...families.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }));
}

/** The counts of a process that has ended. Without them a sum would fall, which a scraper takes for a restart. */
export function lastCountsOf(metrics: readonly ExportedMetric[]): ExportedMetric[] {
  return metrics.filter(({ type }) => type !== 'gauge');
}

function addValue(into: Map<string, ExportedValue>, addend: ExportedValue, adds: boolean): void {
  const id = JSON.stringify([addend.metricName, addend.labels]);
  const known = into.get(id);
  if (!known) into.set(id, { ...addend });
  else known.value = adds ? known.value + addend.value : Math.max(known.value, addend.value);
}
