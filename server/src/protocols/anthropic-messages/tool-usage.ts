/** Counts calls of tools that the provider runs by the blocks of an answer, where its usage does not report them. */
import type { Json, JsonObject } from '../../core/json.ts';
import type { ToolBucket, Usage } from '../../core/usage.ts';

const BUCKET_OF_NAME = new Map<Json | undefined, ToolBucket>([
  ['web_search', 'webSearches'],
  ['web_fetch', 'webFetches'],
  ['code_execution', 'codeSessions'],
  ['bash_code_execution', 'codeSessions'],
  ['text_editor_code_execution', 'codeSessions'],
]);

/** Adds a block to the counts; returns true when it is such a call. A session counts once, however much runs in it. */
export function countToolBlock(counts: Usage['buckets'], { type, name }: JsonObject): boolean {
  const bucket = type === 'server_tool_use' ? BUCKET_OF_NAME.get(name) : undefined;
  if (bucket === undefined) return false;
  counts[bucket] = bucket === 'codeSessions' ? 1 : (counts[bucket] ?? 0) + 1;
  return true;
}

/** Reported counts win, because failed calls are not billed. */
export function withCounted(usage: Usage, counted: Usage['buckets'] | undefined): Usage {
  return counted ? { ...usage, buckets: { ...counted, ...usage.buckets } } : usage;
}
