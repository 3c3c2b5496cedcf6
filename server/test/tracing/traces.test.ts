/** A gateway with a collector: every request is a trace that its caller and its providers can join. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { attribute, type Collector, type SentSpan, startCollector } from './collector.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SECRET_WORDS = 'the planted words of a prompt';

let collector: Collector;
let gateway: TestGateway;

beforeAll(async () => {
  collector = await startCollector();
  gateway = await startGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=collector',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await collector.close();
});
beforeEach(() => {
  collector.spans.length = 0;
  gateway.vendor.reset();
});

const ask = (model: string, traceparent?: string) =>
  gateway.chat(
    { model, messages: [{ role: 'user', content: SECRET_WORDS }] },
    traceparent === undefined ? {} : { headers: { traceparent } },
  );

function spansOf(requestId: string | null, count: number): Promise<SentSpan[]> {
  return eventually(() => {
    const own = collector.spans.filter((span) => attribute(span, 'dargah.request.id') === requestId);
    expect(own).toHaveLength(count);
    return own;
  });
}

describe('a traced request', () => {
  it('continues its caller’s trace, has a span for each attempt, and names it to the providers', async () => {
    gateway.vendor.next(faults.failWith(500), answer({ text: 'ok', usage: { input: 12, output: 3 } }));
    const reply = await ask('mock/two', `00-${TRACE}-${CALLER}-01`);
    expect(reply.status).toBe(200);
    const [request, first, second] = await spansOf(reply.headers.get('x-svc-request-id'), 3);
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, name: 'chat mock/two', kind: 2, status: {} });
    expect(first).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId, kind: 3, status: { code: 2 } });
    expect(second).toMatchObject({ traceId: TRACE, parentSpanId: request?.spanId, kind: 3, status: {} });
    if (!request || !first || !second) throw new Error('spans are missing');
    expect(attribute(request, 'gen_ai.operation.name')).toBe('chat');
    expect(attribute(request, 'gen_ai.usage.input_tokens')).toBe(12);
    expect(attribute(request, 'gen_ai.usage.output_tokens')).toBe(3);
    expect(attribute(first, 'gen_ai.provider.name')).toBe('chat-a');
    expect(attribute(second, 'gen_ai.provider.name')).toBe('chat-b');
    expect(BigInt(request.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano));
    const told = gateway.vendor.requests.map(({ headers }) => headers['traceparent']);
    expect(told).toEqual([`00-${TRACE}-${first.spanId}-01`, `00-${TRACE}-${second.spanId}-01`]);
  });

  it('begins a trace of its own without a caller’s, and never carries the prompt', async () => {
    const reply = await ask('mock/chat');
    const [request] = await spansOf(reply.headers.get('x-svc-request-id'), 2);
    expect(request?.parentSpanId).toBeUndefined();
    expect(request?.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    expect(JSON.stringify(collector.spans)).not.toContain(SECRET_WORDS);
    expect(collector.headers.at(-1)).toMatchObject({ 'x-token': 'collector', 'content-type': 'application/json' });
  });

  it('is not sent when its caller decided against it; providers learn that too', async () => {
    const unsampled = await ask('mock/chat', `00-${TRACE}-${CALLER}-00`);
    expect(gateway.vendor.requests[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    const sampled = await ask('mock/chat');
    await spansOf(sampled.headers.get('x-svc-request-id'), 2);
    const id = unsampled.headers.get('x-svc-request-id');
    expect(collector.spans.filter((span) => attribute(span, 'dargah.request.id') === id)).toEqual([]);
  });

  it('waits for a collector that is away, and is sent when it is back', async () => {
    collector.answer(503);
    const before = collector.headers.length;
    const reply = await ask('mock/chat');
    expect(reply.status).toBe(200);
    await eventually(() => expect(collector.headers.length).toBeGreaterThan(before + 1));
    collector.answer(200);
    await spansOf(reply.headers.get('x-svc-request-id'), 2);
  });
});

describe('metrics', () => {
  it('reach the collector under the names of /metrics', async () => {
    await ask('mock/chat');
    await eventually(() => expect([...collector.metrics]).toContain('dargah_requests_total'));
    await eventually(() => expect([...collector.metrics]).toContain('dargah_request_duration_seconds'));
  });
});

describe('the messages of a request', () => {
  it('are on its span only where the operator asked for them', async () => {
    const { vendor } = gateway;
    const telling = await startGateway({
      vendor,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      },
    });
    const reply = await telling.chat({ model: 'mock/chat', messages: [{ role: 'user', content: SECRET_WORDS }] });
    const [request] = await spansOf(reply.headers.get('x-svc-request-id'), 2);
    expect(request && attribute(request, 'gen_ai.input.messages')).toContain(SECRET_WORDS);
    await telling.stop();
  });
});
