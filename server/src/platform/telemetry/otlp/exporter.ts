/**
 * Sends what was traced and counted to a collector, behind the requests' back. The queue has a bound: a collector that is
 * away costs memory up to it, then spans are dropped and counted; no request ever waits.
 */
import type { Clock } from '../../../core/clock.ts';
import type { Background } from '../../background.ts';
import type { Log } from '../../log.ts';
import type { UpstreamTransport } from '../../upstream/index.ts';
import type { ExportedMetric } from '../series.ts';
import { type Attributes, metricsBody, type Span, tracesBody } from './encode.ts';
import type { OtlpSettings } from './settings.ts';

export interface OtlpExporter {
  add(span: Span): void;
  /** Sends what waits; for the end of the process and for tests. */
  flush(): Promise<void>;
  readonly dropped: number;
}

export interface OtlpExporterOptions {
  settings: OtlpSettings;
  version: string;
  instanceId: string;
  transport: UpstreamTransport;
  clock: Clock;
  background: Background;
  log: Log;
  metrics(): ExportedMetric[];
}

const MAX_WAITING = 4_096;
const MAX_BATCH = 512;
const SEND_EVERY_MS = 2_000;

export function createOtlpExporter(options: OtlpExporterOptions): OtlpExporter {
  return new CollectorExporter(options);
}

class CollectorExporter implements OtlpExporter {
  readonly #options: OtlpExporterOptions;
  readonly #resource: Attributes;
  readonly #startMs: number;
  #waiting: Span[] = [];
  #dropped = 0;
  /** Logged when it changes, not with every failed send. */
  #reachable = true;

  constructor(options: OtlpExporterOptions) {
    const { settings, background, clock, version, instanceId } = options;
    this.#options = options;
    this.#startMs = clock.now();
    this.#resource = {
      'service.name': settings.serviceName,
      'service.version': version,
      'service.instance.id': instanceId,
      ...settings.resource,
    };
    if (settings.tracesUrl !== undefined) background.every(SEND_EVERY_MS, 'sending traces', () => this.#sendSpans());
    if (settings.metricsUrl !== undefined)
      background.every(settings.metricsEveryMs, 'sending metrics', () => this.#sendMetrics());
  }

  get dropped(): number {
    return this.#dropped;
  }

  add(span: Span): void {
    if (this.#waiting.length >= MAX_WAITING) this.#dropped++;
    else this.#waiting.push(span);
  }

  async flush(): Promise<void> {
    await this.#sendSpans();
    await this.#sendMetrics();
  }

  async #sendSpans(): Promise<void> {
    const { tracesUrl } = this.#options.settings;
    while (tracesUrl !== undefined && this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_BATCH);
      if (!(await this.#post(tracesUrl, tracesBody(batch, this.#resource)))) return;
      this.#waiting.splice(0, batch.length);
    }
  }

  async #sendMetrics(): Promise<void> {
    const { metrics, clock, settings } = this.#options;
    if (settings.metricsUrl === undefined) return;
    await this.#post(settings.metricsUrl, metricsBody(metrics(), this.#resource, this.#startMs, clock.now()));
  }

  /** Whether the collector took it. What it refuses as wrong is not sent again: it would be refused for ever. */
  async #post(url: string, body: string): Promise<boolean> {
    const { transport, clock, settings } = this.#options;
    const limit = settings.timeoutMs;
    try {
      const reply = await transport.send({
        pool: 'otlp',
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...settings.headers },
        body,
        connectMs: limit,
        headersMs: limit,
        idleMs: limit,
        deadlineAtMs: clock.monotonicMs() + limit,
      });
      reply.release();
      const temporary = reply.status === 429 || reply.status >= 500;
      this.#note(reply.status < 300, `status ${reply.status}`);
      return !temporary;
    } catch (error) {
      this.#note(false, error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  #note(taken: boolean, cause: string): void {
    if (taken === this.#reachable) return;
    this.#reachable = taken;
    if (taken) this.#options.log.info({ dropped: this.#dropped }, 'the collector takes telemetry again');
    else
      this.#options.log.warn(
        { cause },
        'the collector does not take telemetry; newer spans are dropped when the queue is full',
      );
  }
}
