/**
 * Counters of the gateway. They change once per ended request, attempt or refusal; everything else is read at scrape
 * time.
 */
import { type Money, toTomanNumber } from '../../core/money.ts';
import { BUCKETS, type Usage } from '../../core/usage.ts';
import { processMetrics } from './process-metrics.ts';
import { PROMETHEUS_TEXT, prometheusText } from './prometheus-text.ts';
import {
  CounterFamily,
  type ExportedMetric,
  type ExportedValue,
  GaugeFamily,
  HistogramFamily,
  type Metric,
  ReadCounter,
} from './series.ts';

/** The part of a request's record that is counted. Models and providers come from the catalog, never from the client. */
export interface FinishedRequest {
  endpoint: string;
  model: string;
  stream: boolean;
  state: string;
  status: number;
  usage: Usage | null;
  cost: Money;
  firstEventMs: number | null;
  durationMs: number;
}

export interface GatewayMetrics {
  finished(record: FinishedRequest): void;
  /** `outcome`: ok, aborted, or the kind of failure. */
  attempted(providerId: string, outcome: string): void;
  /** A request was refused before any provider was asked; `reason` is an error code. */
  refused(endpoint: string, reason: string): void;
}

export interface Metrics extends GatewayMetrics {
  /** A value read at scrape time: journal depth, breaker states, requests in flight, event-loop lag. */
  gauge(name: string, help: string, read: () => number | ExportedValue[]): void;
  /** A count that is kept elsewhere and read at scrape time. */
  counter(name: string, help: string, read: () => number): void;
  /** All metrics, for exporters other than Prometheus. */
  exported(): ExportedMetric[];
  /** The Prometheus text format. */
  text(): string;
  readonly contentType: string;
}

/** From a cache hit on loopback to the longest reasoning answer. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640];

class GatewayCounters implements Metrics {
  readonly contentType = PROMETHEUS_TEXT;
  readonly #families: Metric[] = [];
  readonly #requests = this.#counter('dargah_requests_total', 'Finished requests.', [
    'endpoint',
    'model',
    'status',
    'state',
  ]);
  readonly #refusals = this.#counter('dargah_refusals_total', 'Requests turned away, by error code.', [
    'endpoint',
    'reason',
  ]);
  readonly #attempts = this.#counter('dargah_upstream_attempts_total', 'Attempts at providers.', [
    'provider',
    'outcome',
  ]);
  readonly #tokens = this.#counter('dargah_tokens_total', 'Units consumed, by bucket.', ['model', 'bucket']);
  readonly #cost = this.#counter('dargah_cost_toman_total', 'Charged to customers, in toman.', ['model']);
  readonly #duration = this.#histogram('dargah_request_duration_seconds', 'From arrival to the last byte.', [
    'endpoint',
    'stream',
  ]);
  readonly #firstEvent = this.#histogram('dargah_time_to_first_token_seconds', 'From arrival to the first event.', [
    'model',
  ]);

  constructor(withProcess: boolean) {
    if (withProcess) this.#families.push(...processMetrics());
  }

  finished(record: FinishedRequest): void {
    const { endpoint, model, usage } = record;
    this.#requests.add(1, endpoint, model, String(record.status), record.state);
    this.#duration.observe(record.durationMs / 1000, endpoint, record.stream ? 'yes' : 'no');
    if (record.firstEventMs !== null) this.#firstEvent.observe(record.firstEventMs / 1000, model);
    if (record.cost > 0n) this.#cost.add(toTomanNumber(record.cost), model);
    if (!usage) return;
    for (const bucket of BUCKETS) {
      const units = usage.buckets[bucket];
      if (units !== undefined && units > 0) this.#tokens.add(units, model, bucket);
    }
  }

  attempted(providerId: string, outcome: string): void {
    this.#attempts.add(1, providerId, outcome);
  }

  refused(endpoint: string, reason: string): void {
    this.#refusals.add(1, endpoint, reason);
  }

  gauge(name: string, help: string, read: () => number | ExportedValue[]): void {
    const values = () => {
      const now = read();
      return typeof now === 'number' ? [{ labels: {}, value: now }] : now;
    };
    this.#register(new GaugeFamily(name, help, values));
  }

  counter(name: string, help: string, read: () => number): void {
    this.#register(new ReadCounter(name, help, read));
  }

  exported(): ExportedMetric[] {
    return this.#families.map((family) => family.read());
  }

  text(): string {
    return prometheusText(this.exported());
  }

  #counter(name: string, help: string, labelNames: string[]): CounterFamily {
    return this.#register(new CounterFamily(name, help, labelNames));
  }

  #histogram(name: string, help: string, labelNames: string[]): HistogramFamily {
    return this.#register(new HistogramFamily(name, help, labelNames, SECONDS));
  }

  #register<Family extends Metric>(family: Family): Family {
    this.#families.push(family);
    return family;
  }
}

/** `withProcess: false` leaves out memory, CPU and garbage collection of the process (tests create many). */
export function createMetrics(options: { withProcess?: boolean } = {}): Metrics {
  return new GatewayCounters(options.withProcess ?? true);
}
