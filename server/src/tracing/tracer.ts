/**
 * Which requests are traced, and what of them is sent. Built only when a collector is configured; without it the request
 * path has no tracer and does nothing.
 */
import type { RandomBytes } from '../core/ids.ts';
import { isJsonObject, parseTrustedJson } from '../core/json.ts';
import {
  type OtlpExporter,
  readTraceparent,
  type SpanSampling,
  type TraceContext,
  writeTraceparent,
} from '../platform/telemetry/index.ts';
import type { RequestRecord } from '../requestlog/index.ts';
import { requestSpans } from './request-spans.ts';

/** The span of one request in its trace. */
export interface RequestTrace {
  readonly context: TraceContext;
  readonly parentSpanId: string | undefined;
}

export interface Tracer {
  begin(traceparent: string | undefined): RequestTrace;
  newSpanId(): string;
  /** The header for a provider that is called under this span. */
  traceparent(trace: RequestTrace, spanId: string): string;
  /** `body`: the request's own bytes; read only where the operator wants the messages on the span. */
  finished(trace: RequestTrace, record: RequestRecord, body: Uint8Array): void;
}

export interface TracerOptions {
  exporter: Pick<OtlpExporter, 'add'>;
  sampling: SpanSampling;
  captureContent: boolean;
  randomBytes: RandomBytes;
}

/** A longer span would be refused by collectors. */
const MAX_CONTENT_CHARACTERS = 32_768;

export function createTracer(options: TracerOptions): Tracer {
  const { exporter, sampling, randomBytes } = options;
  const newSpanId = () => hexOf(randomBytes(8));
  return {
    begin(traceparent) {
      const parent = readTraceparent(traceparent);
      const traceId = parent?.traceId ?? hexOf(randomBytes(16));
      const sampled = parent && sampling.followParent ? parent.sampled : isWithin(traceId, sampling.ratio);
      return { context: { traceId, spanId: newSpanId(), sampled }, parentSpanId: parent?.spanId };
    },
    newSpanId,
    traceparent: ({ context }, spanId) => writeTraceparent({ ...context, spanId }),
    finished({ context, parentSpanId }, record, body) {
      if (!context.sampled) return;
      const { traceId, spanId } = context;
      const inputMessages = options.captureContent ? messagesOf(body) : undefined;
      const spans = requestSpans(record, { traceId, spanId, parentSpanId, inputMessages, newSpanId });
      for (const span of spans) exporter.add(span);
    },
  };
}

/** Decided by the trace's own id, so that every service of one trace decides alike. */
function isWithin(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52;
}

function messagesOf(body: Uint8Array): string | undefined {
  const parsed = parseTrustedJson(new TextDecoder().decode(body));
  if (!isJsonObject(parsed)) return undefined;
  const messages = parsed['messages'] ?? parsed['input'];
  return messages === undefined ? undefined : JSON.stringify(messages).slice(0, MAX_CONTENT_CHARACTERS);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
