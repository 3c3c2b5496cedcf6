/** `usage` of Converse: cached tokens are counted beside `inputTokens`, not inside it. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';

export function decodeUsage(raw: JsonObject): Usage {
  const buckets: Usage['buckets'] = {};
  const input = count(raw['inputTokens']);
  const output = count(raw['outputTokens']);
  const read = count(raw['cacheReadInputTokens'] ?? raw['cacheReadInputTokenCount']);
  const written = count(raw['cacheWriteInputTokens'] ?? raw['cacheWriteInputTokenCount']);
  if (input !== undefined) buckets.inputFresh = input;
  if (output !== undefined) buckets.output = output;
  if (read !== undefined) buckets.cacheRead = read;
  if (written !== undefined) {
    const long = Math.min(written, writtenForAnHour(raw['cacheDetails']));
    buckets.cacheWrite5m = written - long;
    if (long > 0) buckets.cacheWrite1h = long;
  }
  return { buckets, source: 'upstream', raw };
}

function writtenForAnHour(details: Json | undefined): number {
  let tokens = 0;
  for (const detail of Array.isArray(details) ? details.filter(isJsonObject) : [])
    if (detail['ttl'] === '1h') tokens += count(detail['inputTokens']) ?? 0;
  return tokens;
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
