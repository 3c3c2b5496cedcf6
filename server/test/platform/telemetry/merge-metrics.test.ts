import { describe, expect, it } from 'vitest';
import { lastCountsOf, mergeMetrics } from '../../../src/platform/telemetry/merge-metrics.ts';
import type { ExportedMetric } from '../../../src/platform/telemetry/series.ts';

const metric = (name: string, type: ExportedMetric['type'], values: ExportedMetric['values']): ExportedMetric => ({
  name,
  help: 'Help.',
  type,
  values,
});
const one = [
  metric('dargah_requests_total', 'counter', [{ labels: { model: 'a' }, value: 2 }]),
  metric('dargah_requests_running', 'gauge', [{ labels: {}, value: 1 }]),
  metric('dargah_event_loop_lag_seconds', 'gauge', [{ labels: {}, value: 0.5 }]),
];
const other = [
  metric('dargah_requests_total', 'counter', [
    { labels: { model: 'a' }, value: 3 },
    { labels: { model: 'b' }, value: 7 },
  ]),
  metric('dargah_requests_running', 'gauge', [{ labels: {}, value: 4 }]),
  metric('dargah_event_loop_lag_seconds', 'gauge', [{ labels: {}, value: 0.1 }]),
];

describe('metrics of several processes', () => {
  it('add up by name and labels; of a state the highest counts', () => {
    expect(mergeMetrics([one, other])).toEqual([
      metric('dargah_requests_total', 'counter', [
        { labels: { model: 'a' }, value: 5 },
        { labels: { model: 'b' }, value: 7 },
      ]),
      metric('dargah_requests_running', 'gauge', [{ labels: {}, value: 5 }]),
      metric('dargah_event_loop_lag_seconds', 'gauge', [{ labels: {}, value: 0.5 }]),
    ]);
    expect(one[0]?.values[0]?.value).toBe(2);
  });

  it('keep what a process counted that has ended, and nothing of what it held', () => {
    expect(mergeMetrics([lastCountsOf(one), other]).map(({ name, values }) => [name, values[0]?.value])).toEqual([
      ['dargah_requests_total', 5],
      ['dargah_requests_running', 4],
      ['dargah_event_loop_lag_seconds', 0.1],
    ]);
  });
});
