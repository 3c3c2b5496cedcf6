/** OpenTelemetry, where a collector is configured: the exporter, and the tracer of the request path. */
import { randomBytes } from 'node:crypto';
import type { ProcessEnvironment } from '../config/index.ts';
import { VERSION } from '../core/version.ts';
import { createOtlpExporter, type Metrics, type OtlpExporter } from '../platform/telemetry/index.ts';
import { createTracer, type Tracer } from '../tracing/index.ts';
import type { Foundation } from './foundation.ts';

export interface Tracing {
  tracer: Tracer | undefined;
  exporter: OtlpExporter | undefined;
}

export function startTracing(
  { transport, clock, background, log }: Foundation,
  { otlp }: ProcessEnvironment,
  metrics: Metrics,
  replicaId: string,
): Tracing {
  if (!otlp) return { tracer: undefined, exporter: undefined };
  const exporter = createOtlpExporter({
    settings: otlp,
    version: VERSION,
    instanceId: replicaId,
    transport,
    clock,
    background,
    log,
    metrics: () => metrics.exported(),
  });
  metrics.gauge('dargah_otlp_dropped_spans', 'Spans the collector did not take in time.', () => exporter.dropped);
  const { tracesUrl, sampling, captureContent } = otlp;
  const tracer =
    tracesUrl === undefined ? undefined : createTracer({ exporter, sampling, captureContent, randomBytes });
  return { tracer, exporter };
}
