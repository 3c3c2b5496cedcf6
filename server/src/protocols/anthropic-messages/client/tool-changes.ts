/**
 * `tool_addition` and `tool_removal` blocks change the tools on offer in the midst of a conversation. Other protocols know
 * one list per request: the one that stands at the end of the conversation.
 */
import type { Message } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { DecodedTools } from '../../hosted-tools.ts';
import { kept, keptBlock } from '../own-fields.ts';
import { addTool } from './decode-tools.ts';

/** Returns undefined when no message changes the tools. */
export function offeredTools(declared: DecodedTools, messages: readonly Message[]): DecodedTools | undefined {
  let offer: ToolOffer | undefined;
  for (const { parts } of messages) {
    for (const part of parts) {
      const block = part.kind === 'text' && part.extras ? keptBlock(part) : undefined;
      if (!block) continue;
      for (const change of toolChangesIn(block)) {
        offer ??= new ToolOffer(declared);
        offer.apply(change, String(kept(part)?.['at'] ?? 'messages'));
      }
    }
  }
  return offer?.tools();
}

/** Returns the block itself, or what a compacted stretch of the conversation had changed. */
export function toolChangesIn(block: JsonObject): JsonObject[] {
  if (block['type'] === 'tool_addition' || block['type'] === 'tool_removal') return [block];
  const changes = block['type'] === 'compaction' ? block['tool_changes'] : undefined;
  return Array.isArray(changes) ? changes.filter(isJsonObject) : [];
}

class ToolOffer {
  /** All definitions seen so far, each a list of one; a tool that was withdrawn can be offered again by its name alone. */
  readonly #known = new Map<string, DecodedTools>();
  readonly #withdrawn = new Set<string>();
  #count: number;

  constructor({ tools, hosted }: DecodedTools) {
    for (const tool of tools) this.#known.set(tool.name, { tools: [tool], hosted: [] });
    for (const entry of hosted) this.#known.set(nameOf(entry.tool), { tools: [], hosted: [entry] });
    this.#count = tools.length + hosted.length;
  }

  apply(change: JsonObject, at: string): void {
    const tool = change['tool'];
    if (!isJsonObject(tool)) return;
    const definition = tool['type'] === 'tool_definition' ? tool['definition'] : undefined;
    const name = nameOf(isJsonObject(definition) ? definition : tool);
    if (change['type'] === 'tool_removal') {
      this.#withdrawn.add(name);
      return;
    }
    this.#withdrawn.delete(name);
    if (isJsonObject(definition)) this.#define(name, definition, at);
  }

  tools(): DecodedTools {
    const offered = [...this.#known].filter(([name]) => !this.#withdrawn.has(name)).map(([, one]) => one);
    return { tools: offered.flatMap(({ tools }) => tools), hosted: offered.flatMap(({ hosted }) => hosted) };
  }

  #define(name: string, definition: JsonObject, at: string): void {
    const one: DecodedTools = { tools: [], hosted: [] };
    addTool(one, definition, this.#count++, `${at}.tool.definition`);
    this.#known.set(name, one);
  }
}

/** Sets of tools (`mcp_toolset`) are named by their server. */
function nameOf(tool: JsonObject): string {
  const name: Json | undefined = tool['name'] ?? tool['mcp_server_name'] ?? tool['server_name'];
  return typeof name === 'string' ? name : String(tool['type']);
}
