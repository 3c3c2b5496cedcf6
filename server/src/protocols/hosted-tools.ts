/** `tools` of a request, split into the client's own and those that the provider runs or defines itself. */
import type { Tool } from '../core/chat.ts';
import type { JsonObject } from '../core/json.ts';

/** A tool of the provider's (`web_search_20250305`, `bash_20250124`, …), with its index in the client's list. */
export interface HostedTool {
  index: number;
  tool: JsonObject;
}

export interface DecodedTools {
  tools: Tool[];
  hosted: HostedTool[];
}
