/** Trace context, the standard's variables, and the protocol's JSON. */
import { describe, expect, it } from 'vitest';
import { metricsBody } from '../../src/platform/telemetry/otlp/encode.ts';
import { readOtlpSettings, readTraceparent, writeTraceparent } from '../../src/platform/telemetry/otlp/index.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('traceparent', () => {
  it('reads what the recommendation allows, and writes it back', () => {
    const header = `00-${TRACE}-${SPAN}-01`;
    expect(readTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
    expect(writeTraceparent({ traceId: TRACE, spanId: SPAN, sampled: true })).toBe(header);
    expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)?.sampled).toBe(false);
    expect(readTraceparent(`cc-${TRACE}-${SPAN}-01-later-fields`)?.traceId).toBe(TRACE);
  });

  it('begins anew where the header is wrong', () => {
    const wrong = [
      undefined,
      '',
      'garbage',
      `00-${TRACE}-${SPAN}-01-more`,
      `ff-${TRACE}-${SPAN}-01`,
      `00-${'0'.repeat(32)}-${SPAN}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${SPAN}-01`,
      `00-${TRACE}_${SPAN}-01`,
    ];
    for (const header of wrong) expect(readTraceparent(header), String(header)).toBeUndefined();
  });
});

describe('the variables of OpenTelemetry', () => {
  const read = (variables: Record<string, string>) => {
    const refused: string[] = [];
    return { settings: readOtlpSettings(variables, (name) => refused.push(name)), refused };
  };

  it('send nothing while no endpoint is set, or when switched off', () => {
    expect(read({}).settings).toBeUndefined();
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }).settings).toBeUndefined();
    const { settings } = read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_METRICS_EXPORTER: 'none' });
    expect(settings).toMatchObject({ tracesUrl: 'http://c:4318/v1/traces', metricsUrl: undefined });
  });

  it('read addresses, headers, resource and sampling', () => {
    const { settings, refused } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/base/',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://other/metrics',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b,broken',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=prod',
      OTEL_SERVICE_NAME: 'gate',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(refused).toEqual([]);
    expect(settings).toMatchObject({
      tracesUrl: 'https://collector/base/v1/traces',
      metricsUrl: 'https://other/metrics',
      headers: { 'x-token': 'a b' },
      resource: { 'deployment.environment.name': 'prod' },
      serviceName: 'gate',
      sampling: { ratio: 0.25, followParent: true },
      captureContent: false,
    });
  });

  it('are refused by name when they cannot be understood', () => {
    const { refused } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '7',
      OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
    });
    expect(refused.sort()).toEqual([
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_EXPORTER_OTLP_TIMEOUT',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
    ]);
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://c' }).refused).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
  });
});

describe('metrics in the protocol', () => {
  it('count each bucket of a histogram for itself', () => {
    const value = (metricName: string, labels: Record<string, string | number>, count: number) => ({
      metricName,
      labels,
      value: count,
    });
    const body = metricsBody(
      [
        {
          name: 'd',
          help: 'h',
          type: 'histogram',
          values: [
            value('d_bucket', { e: 'x', le: 1 }, 2),
            value('d_bucket', { e: 'x', le: 5 }, 5),
            value('d_bucket', { e: 'x', le: '+Inf' }, 6),
            value('d_sum', { e: 'x' }, 17.5),
            value('d_count', { e: 'x' }, 6),
          ],
        },
      ],
      { 'service.name': 'dargah' },
      1_000,
      2_000.5,
    );
    const metric = JSON.parse(body).resourceMetrics[0].scopeMetrics[0].metrics[0];
    expect(metric.histogram.dataPoints).toEqual([
      {
        attributes: [{ key: 'e', value: { stringValue: 'x' } }],
        startTimeUnixNano: '1000000000',
        timeUnixNano: '2000500000',
        count: '6',
        sum: 17.5,
        bucketCounts: ['2', '3', '1'],
        explicitBounds: [1, 5],
      },
    ]);
  });
});
