/**
 * What tools of the provider's own used. The report beside `usage` is what the provider bills, so it wins; without one the items
 * of the answer are counted, also while a stream still runs.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ToolBucket, Usage } from '../../core/usage.ts';
import { UNREPORTED_PICTURE } from '../hosted-use.ts';

type ToolCounts = Partial<Record<ToolBucket, number>>;

export class ToolCounter {
  /** Items by index in the output; the last state of an item counts. */
  #items: Map<Json, JsonObject> | undefined;

  /** True when the item is a call of such a tool, so that the counts may have changed. */
  see(place: Json, item: JsonObject): boolean {
    if (!CALLS.has(item['type'])) return false;
    this.#items ??= new Map();
    this.#items.set(place, item);
    return true;
  }

  counts(): ToolCounts {
    return this.#items ? toolCountsOf([...this.#items.values()]) : {};
  }
}

const CALLS: ReadonlySet<Json | undefined> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'shell_call',
  'image_generation_call',
]);

/** Includes what the provider reports of the whole answer. */
export function withToolUsage(usage: Usage | undefined, response: JsonObject, counted: ToolCounts): Usage | undefined {
  const tools = { ...counted, ...reportedTools(response['tool_usage']) };
  if (Object.keys(tools).length === 0) return usage;
  return usage ? { ...usage, buckets: { ...usage.buckets, ...tools } } : { buckets: tools, source: 'upstream' };
}

export function toolCountsOf(items: readonly JsonObject[]): ToolCounts {
  const counts: ToolCounts = {};
  const add = (bucket: ToolBucket, units = 1): void => {
    counts[bucket] = (counts[bucket] ?? 0) + units;
  };
  const containers = new Set<Json>();
  for (const item of items) {
    if (item['type'] === 'web_search_call' && isSearch(item['action'])) add('webSearches');
    else if (item['type'] === 'file_search_call') add('fileSearches');
    else if (item['type'] === 'code_interpreter_call') containers.add(item['container_id'] ?? null);
    else if (item['type'] === 'shell_call' && isContainer(item['environment'])) containers.add(null);
    else if (item['type'] === 'image_generation_call' && item['status'] !== 'failed') {
      add('imageToolInput', UNREPORTED_PICTURE);
      add('imageToolOutput', UNREPORTED_PICTURE);
    }
  }
  // A container without a name yet is the one that the others name.
  if (containers.size > 1) containers.delete(null);
  if (containers.size > 0) counts.codeSessions = containers.size;
  return counts;
}

/** Opening and searching pages after a search costs nothing more. */
function isSearch(action: Json | undefined): boolean {
  return !isJsonObject(action) || (action['type'] ?? 'search') === 'search';
}

function isContainer(environment: Json | undefined): boolean {
  return isJsonObject(environment) && environment['type'] !== 'local';
}

function reportedTools(report: Json | undefined): ToolCounts {
  if (!isJsonObject(report)) return {};
  const { web_search: search, image_gen: drawn } = report;
  const searches = isJsonObject(search) ? whole(search['num_requests']) : undefined;
  const input = isJsonObject(drawn) ? whole(drawn['input_tokens']) : undefined;
  const output = isJsonObject(drawn) ? whole(drawn['output_tokens']) : undefined;
  return {
    ...(searches !== undefined && { webSearches: searches }),
    ...(input !== undefined && { imageToolInput: input }),
    ...(output !== undefined && { imageToolOutput: output }),
  };
}

function whole(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
