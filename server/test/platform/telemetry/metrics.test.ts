import { PerformanceObserver } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { money } from '../../../src/core/money.ts';
import { createMetrics } from '../../../src/platform/telemetry/index.ts';
import type { FinishedRequest } from '../../../src/platform/telemetry/metrics.ts';

const RECORD: FinishedRequest = {
  endpoint: 'chat.completions',
  model: 'mock/chat',
  stream: true,
  state: 'completed',
  status: 200,
  usage: { buckets: { inputFresh: 100, output: 20, cacheRead: 0 }, source: 'upstream' },
  cost: money(1_950_000n),
  firstEventMs: 120,
  durationMs: 900,
};

describe('metrics', () => {
  it('counts requests, tokens, cost, latency, attempts and refusals', () => {
    const metrics = createMetrics({ withProcess: false });
    metrics.finished(RECORD);
    metrics.finished({ ...RECORD, durationMs: 3_000_000 });
    metrics.attempted('openai', 'ok');
    metrics.attempted('openai', 'timeout');
    metrics.attempted('openai', 'timeout');
    metrics.refused('messages', 'rate_limited');
    const text = metrics.text();
    const lines = text.split('\n');
    expect(lines).toContain(
      'dargah_requests_total{endpoint="chat.completions",model="mock/chat",status="200",state="completed"} 2',
    );
    expect(lines).toContain('dargah_tokens_total{model="mock/chat",bucket="inputFresh"} 200');
    expect(text).not.toContain('bucket="cacheRead"');
    expect(lines).toContain('dargah_cost_toman_total{model="mock/chat"} 3.9');
    expect(lines).toContain('dargah_upstream_attempts_total{provider="openai",outcome="timeout"} 2');
    expect(lines).toContain('dargah_refusals_total{endpoint="messages",reason="rate_limited"} 1');
    const duration = 'dargah_request_duration_seconds';
    expect(lines).toContain(`${duration}_bucket{endpoint="chat.completions",stream="yes",le="0.5"} 0`);
    expect(lines).toContain(`${duration}_bucket{endpoint="chat.completions",stream="yes",le="1"} 1`);
    expect(lines).toContain(`${duration}_bucket{endpoint="chat.completions",stream="yes",le="640"} 1`);
    expect(lines).toContain(`${duration}_bucket{endpoint="chat.completions",stream="yes",le="+Inf"} 2`);
    expect(lines).toContain(`${duration}_count{endpoint="chat.completions",stream="yes"} 2`);
    expect(lines).toContain('dargah_time_to_first_token_seconds_bucket{model="mock/chat",le="0.25"} 2');
  });

  it('reads gauges when scraped', () => {
    const metrics = createMetrics({ withProcess: false });
    let depth = 3;
    metrics.gauge('dargah_journal_depth', 'Records not yet posted.', () => depth);
    metrics.gauge('dargah_breaker_open', 'Open circuits.', () => [{ labels: { target: 'a"b' }, value: 1 }]);
    depth = 7;
    const text = metrics.text();
    expect(text).toContain('dargah_journal_depth 7');
    expect(text).toContain('dargah_breaker_open{target="a\\"b"} 1');
  });

  it('bounds the number of series', () => {
    const metrics = createMetrics({ withProcess: false });
    for (let i = 0; i < 5000; i++) metrics.attempted(`provider-${i}`, 'ok');
    const series = metrics
      .text()
      .split('\n')
      .filter((line) => line.startsWith('dargah_upstream_attempts_total{'));
    expect(series.length).toBeLessThanOrEqual(2001);
    expect(series).toContain('dargah_upstream_attempts_total{provider="other",outcome="other"} 3000');
  });

  it('carries the process metrics', () => {
    const text = createMetrics().text();
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^process_cpu_seconds_total \d/m);
    expect(text).toMatch(/^nodejs_heap_size_used_bytes \d+$/m);
    expect(text).toContain('# TYPE process_cpu_seconds_total counter\n');
    expect(text).toContain('# TYPE nodejs_gc_duration_seconds histogram\n');
  });

  it('observes collections once somebody reads the metrics, and not before', () => {
    const observed = vi.spyOn(PerformanceObserver.prototype, 'observe');
    const metrics = createMetrics();
    expect(observed).not.toHaveBeenCalled();
    metrics.text();
    metrics.text();
    expect(observed).toHaveBeenCalledOnce();
    observed.mockRestore();
  });
});
