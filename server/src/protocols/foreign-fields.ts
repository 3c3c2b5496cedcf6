/**
 * What a request holds that only the protocol it came in understands. Upstream codecs of other protocols call these,
 * so that nothing is lost silently: what changes the answer is refused by name, the rest is dropped with a warning.
 *
 * Conventions, by protocol `p`:
 *   request.extras[p].hosted_tools   [{index, tool}]: tools the provider itself runs, with their place in `tools`
 *   request.extras[p].optional_tools the same, for tools a client offers by habit (Codex always sends web_search): dropped
 *   request.extras[p].declared_tools the client's own `tools`, where later messages added to them or took from them
 *   request.extras[p].answered       fields the gateway itself answers for; nothing is lost where the provider lacks them
 *   part.extras[p].block             a content block we do not model, whole; `at` is its place in the client's body
 */
import type { ChatRequest, Extras, Part, ProtocolId } from '../core/chat.ts';
import { invalidRequest } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';

export const HOSTED_TOOLS = 'hosted_tools';
export const OPTIONAL_TOOLS = 'optional_tools';
export const DECLARED_TOOLS = 'declared_tools';
export const ANSWERED = 'answered';

/** Entries of `extras` that are our own book-keeping; a provider without them loses nothing. */
const OUR_OWN: ReadonlySet<string> = new Set([HOSTED_TOOLS, DECLARED_TOOLS, ANSWERED]);

/** Top-level fields that give the model tools of the provider's own: without them the answer would differ. */
const TOOL_BRINGING_FIELDS = ['mcp_servers'];

/**
 * Calls and results of tools that another provider ran: they are dropped, because the text around them tells what they
 * found.
 */
const SKIPPABLE_BLOCK =
  /(?:^server_tool_use|^mcp_tool_use|_tool_result|^tool_reference|^tool_addition|^tool_removal|^compaction|^(?:web_search|file_search|code_interpreter|image_generation|mcp)_call|^mcp_list_tools|^mcp_approval_re(?:quest|sponse))$/;

/** Throws invalid_request for hosted tools and unmodelled content blocks of protocols other than `own`. */
export function refuseForeignContent(request: ChatRequest, own: ProtocolId): void {
  for (const [, extras] of foreign(request.extras, own)) {
    const hosted = extras[HOSTED_TOOLS];
    const first = Array.isArray(hosted) ? hosted[0] : undefined;
    if (isJsonObject(first)) throw notCarried(`tools.${first['index']}`);
    for (const field of TOOL_BRINGING_FIELDS) {
      const brought = extras[field];
      if (Array.isArray(brought) && brought.length > 0) throw notCarried(field);
    }
  }
  for (const { parts } of request.messages) for (const part of parts) refuseBlock(part, own);
}

function refuseBlock(part: Part, own: ProtocolId): void {
  if (part.kind === 'tool-result') for (const inner of part.content) refuseBlock(inner, own);
  // A part with content was modelled as well; the block is kept beside it only for its own protocol.
  if (!part.extras || part.kind !== 'text' || part.text !== '') return;
  for (const [, kept] of foreign(part.extras, own)) {
    const block = kept['block'];
    if (!isJsonObject(block) || SKIPPABLE_BLOCK.test(String(block['type']))) continue;
    throw notCarried(typeof kept['at'] === 'string' ? kept['at'] : 'messages');
  }
}

/** One warning for each top-level field of another protocol that is dropped. */
export function foreignFieldWarnings(request: ChatRequest, own: ProtocolId): string[] {
  const warnings: string[] = [];
  for (const [, extras] of foreign(request.extras, own)) {
    for (const [field, value] of Object.entries(extras)) {
      if (field === OPTIONAL_TOOLS) warnings.push(...optionalToolWarnings(value));
      else if (!OUR_OWN.has(field)) warnings.push(`${field} dropped: the provider's API has no such field`);
    }
  }
  return warnings;
}

function optionalToolWarnings(tools: Json | undefined): string[] {
  return (Array.isArray(tools) ? tools : []).filter(isJsonObject).map((entry) => {
    const type = isJsonObject(entry['tool']) ? entry['tool']['type'] : undefined;
    return `tools.${entry['index']} (${type}) dropped: the model's provider does not run it`;
  });
}

function foreign(extras: Extras, own: ProtocolId): [ProtocolId, JsonObject][] {
  return (Object.entries(extras) as [ProtocolId, JsonObject][]).filter(([protocol]) => protocol !== own);
}

function notCarried(param: string) {
  return invalidRequest(param, reasons.notCarried(param));
}
