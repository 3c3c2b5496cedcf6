/** What every route is asked to prove (the conformance matrix, ADR 0066): the names of the probes and what they are called. */
import type { Capability } from './catalog-terms.ts';
import type { Text } from './text.ts';

export const PROBE_IDS = [
  'stream',
  'usage',
  'stop_reasons',
  'tools',
  'parallel_tools',
  'schema',
  'prefill',
  'vision',
  'caching',
  'long_context',
] as const;
export type ProbeId = (typeof PROBE_IDS)[number];

/** `unknown`: the provider could not be asked (busy, unreachable), so nothing was learned. */
export const PROBE_VERDICTS = ['passed', 'failed', 'unknown'] as const;
export type ProbeVerdict = (typeof PROBE_VERDICTS)[number];

export const PROBE_NAMES: Record<ProbeId, Text> = {
  stream: { fa: 'استریم', en: 'Streaming' },
  usage: { fa: 'گزارش مصرف', en: 'Usage report' },
  stop_reasons: { fa: 'دلیل پایان پاسخ', en: 'Stop reasons' },
  tools: { fa: 'ابزار', en: 'Tools' },
  parallel_tools: { fa: 'چند ابزار هم‌زمان', en: 'Parallel tools' },
  schema: { fa: 'خروجی ساختاریافته', en: 'Structured output' },
  prefill: { fa: 'ادامهٔ پاسخ نیمه‌کاره', en: 'Prefilled turn' },
  vision: { fa: 'تصویر', en: 'Vision' },
  caching: { fa: 'کش پرامپت', en: 'Prompt caching' },
  long_context: { fa: 'متن بلند', en: 'Long context' },
};

/**
 * The capability in the catalog that a probe proves: a model whose routes all fail the probe is not offered with it.
 */
export const CAPABILITY_OF_PROBE: Partial<Record<ProbeId, Capability>> = {
  stream: 'streaming',
  tools: 'tools',
  schema: 'json_schema',
  prefill: 'prefill',
  vision: 'vision',
};
