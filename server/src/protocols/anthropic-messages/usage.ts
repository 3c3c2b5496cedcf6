/** `usage` of the wire ↔ disjoint buckets. Here cached tokens are counted beside `input_tokens`, not inside it. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { toTomanNumber } from '../../core/money.ts';
import { type Bucket, completionTokens, type Usage } from '../../core/usage.ts';
import type { AnswerClosing } from '../protocol.ts';

/**
 * Joins the reports of one stream. Counters are cumulative, so the last value of each wins, and `null` says nothing.
 * They are joined as raw objects, because the split of cache writes may stand only in the first report and their sum in
 * the last.
 */
export function joinRawUsage(earlier: JsonObject | undefined, later: Json | undefined): JsonObject {
  const joined: JsonObject = { ...earlier };
  if (!isJsonObject(later)) return joined;
  for (const [key, value] of Object.entries(later)) if (value !== null && value !== undefined) joined[key] = value;
  return joined;
}

export function decodeUsage(report: JsonObject): Usage {
  const raw = withIterations(report);
  const buckets: Usage['buckets'] = {};
  const put = (bucket: Bucket, count: number | undefined) => {
    if (count !== undefined) buckets[bucket] = count;
  };
  put('inputFresh', count(raw['input_tokens']));
  put('cacheRead', count(raw['cache_read_input_tokens']));
  const writes = cacheWrites(raw);
  put('cacheWrite5m', writes?.short);
  put('cacheWrite1h', writes?.long);
  const output = count(raw['output_tokens']);
  const details = raw['output_tokens_details'];
  const thinking = isJsonObject(details) ? count(details['thinking_tokens']) : undefined;
  if (output !== undefined && thinking !== undefined) {
    const reasoning = Math.min(output, thinking);
    put('output', output - reasoning);
    put('reasoning', reasoning);
  } else {
    put('output', output);
  }
  const tools = raw['server_tool_use'];
  if (isJsonObject(tools)) {
    put('webSearches', count(tools['web_search_requests']));
    put('webFetches', count(tools['web_fetch_requests']));
  }
  return { buckets, source: 'upstream', raw: report };
}

const COUNTERS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'];

/**
 * One request may be several passes of the model, each billed. The counters beside the list leave out the passes that only
 * shortened the conversation, so the sum of the list is what counts wherever it is more.
 */
function withIterations(report: JsonObject): JsonObject {
  const { iterations } = report;
  if (!Array.isArray(iterations)) return report;
  const passes = iterations.filter(isJsonObject);
  const sum: JsonObject = { ...report };
  for (const name of COUNTERS) {
    const counts = passes.map((pass) => count(pass[name])).filter((each) => each !== undefined);
    const total = counts.reduce((all, each) => all + each, 0);
    if (total > (count(report[name]) ?? 0)) sum[name] = total;
  }
  return sum;
}

/** The part that the split does not explain was written for five minutes, the default. */
function cacheWrites(raw: JsonObject): { short: number; long?: number } | undefined {
  const split = isJsonObject(raw['cache_creation']) ? raw['cache_creation'] : undefined;
  const long = count(split?.['ephemeral_1h_input_tokens']);
  const short = count(split?.['ephemeral_5m_input_tokens']);
  const total = count(raw['cache_creation_input_tokens']);
  if (total === undefined && long === undefined && short === undefined) return undefined;
  if (total === undefined) return { short: short ?? 0, ...(long !== undefined && { long }) };
  if (long === undefined) return { short: total };
  return { short: total - Math.min(long, total), long: Math.min(long, total) };
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The final, cumulative report, with the charge in toman. */
export function encodeUsage({ usage, cost }: Pick<AnswerClosing, 'usage' | 'cost'>): JsonObject {
  const { inputFresh = 0, audioInput = 0, imageInput = 0, cacheRead = 0, reasoning } = usage.buckets;
  const { cacheWrite5m = 0, cacheWrite1h = 0 } = usage.buckets;
  return {
    input_tokens: inputFresh + audioInput + imageInput,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: completionTokens(usage),
    ...(reasoning !== undefined && { output_tokens_details: { thinking_tokens: reasoning } }),
    ...toolReport(usage),
    cost: toTomanNumber(cost),
  };
}

function toolReport({ buckets: { webSearches, webFetches } }: Usage): JsonObject {
  if (webSearches === undefined && webFetches === undefined) return {};
  return { server_tool_use: { web_search_requests: webSearches ?? 0, web_fetch_requests: webFetches ?? 0 } };
}

/** The report that opens a stream. Clients record it: with zeros there they recorded the request as free. */
export function openingUsage(inputEstimate: number): JsonObject {
  return {
    input_tokens: Math.max(1, Math.round(inputEstimate)),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
  };
}

/** The service tier stands in the usage here, and the normal one has another name than elsewhere. */
export function servedTier({ service_tier: tier, speed }: JsonObject): { serviceTier?: string } {
  if (speed === 'fast') return { serviceTier: 'fast' };
  if (typeof tier !== 'string') return {};
  return { serviceTier: tier === 'standard' ? 'default' : tier };
}
