/** `toolConfig`. It must be there whenever the conversation holds a call, and it knows no way to say "none". */
import type { ChatRequest, Tool } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import type { CodecTarget } from '../../protocol.ts';
import { cachePoint } from './encode-messages.ts';

export function encodeTools(request: ChatRequest, target: CodecTarget, warnings: string[]): JsonObject {
  const { toolChoice } = request;
  const called = calledNames(request);
  // Without calls in the history the tools are simply left out.
  if (toolChoice?.kind === 'none' && called.size === 0) return {};
  if (toolChoice?.kind === 'none') warnings.push('tool_choice dropped: the provider cannot be told to call nothing');
  if (request.parallelToolCalls === false)
    warnings.push("parallel_tool_calls dropped: the provider's API has no such field");
  const allowed = toolChoice?.kind === 'allowed' ? toolChoice.names : undefined;
  const keepsStrict = target.capabilities.has('json_schema') && !target.quirks.rejectsStrictTools;
  const tools: JsonObject[] = [];
  for (const [index, tool] of request.tools.entries()) {
    if (tool.kind === 'custom') throw invalidRequest(`tools.${index}`, reasons.notCarried(`tools.${index}`));
    called.delete(tool.name);
    if (allowed && !allowed.includes(tool.name)) continue;
    tools.push(toolSpec(tool, keepsStrict));
    if (tool.cacheControl) tools.push(cachePoint(tool.cacheControl));
  }
  // Calls of tools that are no longer offered still need a declared tool.
  if (tools.length === 0) for (const name of called) tools.push(toolSpec({ kind: 'function', name }, false));
  if (tools.length === 0) return {};
  const choice = request.tools.length > 0 ? encodeChoice(request) : undefined;
  return { toolConfig: { tools, ...(choice && { toolChoice: choice }) } };
}

function calledNames({ messages }: ChatRequest): Set<string> {
  const names = new Set<string>();
  for (const { parts } of messages) for (const part of parts) if (part.kind === 'tool-call') names.add(part.name);
  return names;
}

function toolSpec({ name, description, parameters, strict }: Tool, keepsStrict: boolean): JsonObject {
  return {
    toolSpec: {
      name,
      ...(description !== undefined && description !== '' && { description }),
      inputSchema: { json: { properties: {}, ...parameters, type: 'object' } },
      ...(keepsStrict && strict !== undefined && { strict }),
    },
  };
}

function encodeChoice({ toolChoice }: ChatRequest): JsonObject | undefined {
  switch (toolChoice?.kind) {
    case 'required':
      return { any: {} };
    case 'tool':
      return { tool: { name: toolChoice.name } };
    case 'allowed':
      return toolChoice.mode === 'required' ? { any: {} } : { auto: {} };
    case 'auto':
      return { auto: {} };
    default:
      return undefined;
  }
}
