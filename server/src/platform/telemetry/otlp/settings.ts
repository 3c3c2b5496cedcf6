/**
 * What OpenTelemetry's own environment variables say. Nothing is sent, and no request does any work for it, unless an
 * endpoint is set.
 */

export interface SpanSampling {
  /** Share of the traces begun here that are kept, 0 to 1. */
  ratio: number;
  /** Whether the caller's decision counts where it made one. */
  followParent: boolean;
}

export interface OtlpSettings {
  /** Full addresses; undefined: this signal is not sent. */
  tracesUrl: string | undefined;
  metricsUrl: string | undefined;
  /** For example the collector's token. */
  headers: Record<string, string>;
  serviceName: string;
  resource: Record<string, string>;
  sampling: SpanSampling;
  timeoutMs: number;
  metricsEveryMs: number;
  /** Whether the request's messages are put on its span. Off unless the operator says `true`. */
  captureContent: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

const SAMPLERS: Record<string, (ratio: number) => SpanSampling> = {
  always_on: () => ({ ratio: 1, followParent: false }),
  always_off: () => ({ ratio: 0, followParent: false }),
  traceidratio: (ratio) => ({ ratio, followParent: false }),
  parentbased_always_on: () => ({ ratio: 1, followParent: true }),
  parentbased_always_off: () => ({ ratio: 0, followParent: true }),
  parentbased_traceidratio: (ratio) => ({ ratio, followParent: true }),
};

/** undefined when nothing is to be sent. A value that cannot be understood is named through `refuse`. */
export function readOtlpSettings(
  variables: Variables,
  refuse: (name: string, message: string) => void,
): OtlpSettings | undefined {
  const get = (name: string) => variables[name]?.trim() || undefined;
  if (get('OTEL_SDK_DISABLED') === 'true') return undefined;
  const address = (name: string, append = '') => {
    const text = get(name);
    if (text === undefined) return undefined;
    if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
      refuse(name, 'must be an http or https address');
      return undefined;
    }
    return append === '' ? text : `${text.endsWith('/') ? text.slice(0, -1) : text}${append}`;
  };
  const protocol = get('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== undefined && protocol !== 'http/json')
    refuse('OTEL_EXPORTER_OTLP_PROTOCOL', 'must be http/json: the only form in which this service sends');
  const wanted = (signal: string) => get(`OTEL_${signal}_EXPORTER`) !== 'none';
  const urlOf = (signal: string, path: string) =>
    wanted(signal)
      ? (address(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ?? address('OTEL_EXPORTER_OTLP_ENDPOINT', path))
      : undefined;
  const tracesUrl = urlOf('TRACES', '/v1/traces');
  const metricsUrl = urlOf('METRICS', '/v1/metrics');
  if (tracesUrl === undefined && metricsUrl === undefined) return undefined;
  return {
    tracesUrl,
    metricsUrl,
    headers: readPairs(get('OTEL_EXPORTER_OTLP_HEADERS')),
    serviceName: get('OTEL_SERVICE_NAME') ?? 'dargah',
    resource: readPairs(get('OTEL_RESOURCE_ATTRIBUTES')),
    sampling: readSampling(get('OTEL_TRACES_SAMPLER'), get('OTEL_TRACES_SAMPLER_ARG'), refuse),
    timeoutMs: readMs('OTEL_EXPORTER_OTLP_TIMEOUT', get('OTEL_EXPORTER_OTLP_TIMEOUT'), 10_000, refuse),
    metricsEveryMs: readMs('OTEL_METRIC_EXPORT_INTERVAL', get('OTEL_METRIC_EXPORT_INTERVAL'), 60_000, refuse),
    captureContent: get('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase() === 'true',
  };
}

function readSampling(
  name: string | undefined,
  argument: string | undefined,
  refuse: (name: string, message: string) => void,
): SpanSampling {
  const ratio = argument === undefined ? 1 : Number(argument);
  const known = Number.isFinite(ratio) && ratio >= 0 && ratio <= 1;
  if (!known) refuse('OTEL_TRACES_SAMPLER_ARG', `must be a number from 0 to 1, but is "${argument}"`);
  const make = SAMPLERS[name ?? 'parentbased_always_on'];
  if (!make) refuse('OTEL_TRACES_SAMPLER', `must be one of ${Object.keys(SAMPLERS).join(', ')}, but is "${name}"`);
  return make?.(known ? ratio : 1) ?? { ratio: 1, followParent: true };
}

function readMs(
  name: string,
  text: string | undefined,
  fallback: number,
  refuse: (name: string, message: string) => void,
): number {
  if (text === undefined) return fallback;
  if (/^\d{1,8}$/.test(text) && Number(text) > 0) return Number(text);
  refuse(name, `must be a whole number of milliseconds above 0, but is "${text}"`);
  return fallback;
}

/** `name=value,other=value`, percent-encoded as the standard writes it. */
function readPairs(text: string | undefined): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const item of text?.split(',') ?? []) {
    const at = item.indexOf('=');
    if (at <= 0) continue;
    const value = item.slice(at + 1).trim();
    pairs[item.slice(0, at).trim()] = decodable(value) ? decodeURIComponent(value) : value;
  }
  return pairs;
}

function decodable(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text);
}
