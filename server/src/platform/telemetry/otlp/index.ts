export type { Attributes, Span } from './encode.ts';
export { createOtlpExporter, type OtlpExporter } from './exporter.ts';
export { type OtlpSettings, readOtlpSettings, type SpanSampling } from './settings.ts';
export { readTraceparent, type TraceContext, writeTraceparent } from './trace-context.ts';
