/** Spans and metrics in the JSON form of the OpenTelemetry protocol: ids in hexadecimal, 64-bit numbers as text. */
import type { ExportedMetric, ExportedValue } from '../series.ts';

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue | undefined>;

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: 'server' | 'client';
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** Set when it failed: the short name of the cause. */
  error: string | undefined;
}

const KINDS = { server: 2, client: 3 };
const STATUS_ERROR = 2;
const CUMULATIVE = 2;
const SCOPE = { name: 'dargah' };

export function tracesBody(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      { resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope: SCOPE, spans: spans.map(spanOf) }] },
    ],
  });
}

function spanOf(span: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: attributesOf(span.attributes),
    status: span.error === undefined ? {} : { code: STATUS_ERROR, message: span.error },
  };
}

export function metricsBody(
  metrics: readonly ExportedMetric[],
  resource: Attributes,
  startMs: number,
  nowMs: number,
): string {
  const times = { startTimeUnixNano: nanos(startMs), timeUnixNano: nanos(nowMs) };
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeMetrics: [
          {
            scope: SCOPE,
            metrics: metrics.filter(({ values }) => values.length > 0).map((one) => metricOf(one, times)),
          },
        ],
      },
    ],
  });
}

interface Times {
  startTimeUnixNano: string;
  timeUnixNano: string;
}

function metricOf({ name, help, type, values }: ExportedMetric, times: Times) {
  const head = { name, description: help };
  if (type === 'histogram')
    return {
      ...head,
      histogram: { aggregationTemporality: CUMULATIVE, dataPoints: histogramPoints(name, values, times) },
    };
  const dataPoints = values.map(({ labels, value }) => ({
    attributes: attributesOf(labels),
    ...times,
    asDouble: value,
  }));
  return type === 'counter'
    ? { ...head, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } }
    : { ...head, gauge: { dataPoints } };
}

interface HistogramPoint extends Times {
  attributes: ReturnType<typeof attributesOf>;
  count: string;
  sum: number;
  bucketCounts: string[];
  explicitBounds: number[];
}

/** Prometheus counts each bucket with all below it; the protocol wants each for itself. */
function histogramPoints(name: string, values: readonly ExportedValue[], times: Times): HistogramPoint[] {
  const points = new Map<string, HistogramPoint & { below: number }>();
  for (const { metricName, labels, value } of values) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    let point = points.get(key);
    if (!point) {
      point = {
        attributes: attributesOf(own),
        ...times,
        count: '0',
        sum: 0,
        bucketCounts: [],
        explicitBounds: [],
        below: 0,
      };
      points.set(key, point);
    }
    if (metricName === `${name}_sum`) point.sum = value;
    else if (metricName === `${name}_count`) point.count = String(value);
    else {
      point.bucketCounts.push(String(value - point.below));
      point.below = value;
      if (le !== '+Inf') point.explicitBounds.push(Number(le));
    }
  }
  return [...points.values()].map(({ below: _, ...point }) => point);
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValueOf(value) }],
  );
}

function anyValueOf(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}

/** Milliseconds with up to three digits after the point, as nanoseconds in decimal text. */
function nanos(ms: number): string {
  return (BigInt(Math.round(ms * 1_000)) * 1_000n).toString();
}
