export { createLagGuard, type LagGuard } from './event-loop-lag.ts';
export { createLog, type LogOptions, type ProcessLog } from './log.ts';
export { createMetrics, type FinishedRequest, type GatewayMetrics, type Metrics } from './metrics.ts';
export {
  type Attributes,
  createOtlpExporter,
  type OtlpExporter,
  type OtlpSettings,
  readOtlpSettings,
  readTraceparent,
  type Span,
  type SpanSampling,
  type TraceContext,
  writeTraceparent,
} from './otlp/index.ts';
