export { createLagGuard } from './event-loop-lag.ts';
export { createLog } from './log.ts';
export { createMetrics, type GatewayMetrics, type Metrics } from './metrics.ts';
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
