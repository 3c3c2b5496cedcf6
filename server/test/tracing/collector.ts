/** A stand-in for an OpenTelemetry collector: keeps what it is sent, or refuses it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface SentAttribute {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };
}

export interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: SentAttribute[];
  status: { code?: number; message?: string };
}

export interface Collector {
  endpoint: string;
  spans: SentSpan[];
  /** Names of the metrics that came. */
  metrics: Set<string>;
  headers: Record<string, string | string[] | undefined>[];
  /** Answers with this status from now on. */
  answer(status: number): void;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = [];
  const metrics = new Set<string>();
  const headers: Collector['headers'] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      headers.push(request.headers);
      if (status === 200) {
        const body = JSON.parse(Buffer.concat(pieces).toString());
        for (const { scopeSpans } of body.resourceSpans ?? [])
          for (const { spans: sent } of scopeSpans) spans.push(...sent);
        for (const { scopeMetrics } of body.resourceMetrics ?? [])
          for (const { metrics: sent } of scopeMetrics) for (const { name } of sent) metrics.add(name);
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    headers,
    answer: (next) => {
      status = next;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export function attribute(span: SentSpan, key: string): string | number | boolean | undefined {
  const value = span.attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.boolValue ?? value?.doubleValue ?? (value?.intValue && Number(value.intValue));
}
