/** Canonical tools and tool choice → `tools` and `tool_choice`. */
import type { ChatRequest, Tool, ToolChoice } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { DECLARED_TOOLS, HOSTED_TOOLS } from '../../foreign-fields.ts';
import type { CodecTarget } from '../../protocol.ts';
import { encodeCacheControl } from '../encode-blocks.ts';
import { kept, keptBlock } from '../own-fields.ts';

export function encodeTools(request: ChatRequest, target: CodecTarget, warnings: string[]): JsonObject {
  const { toolChoice } = request;
  const declared = kept(request)?.[DECLARED_TOOLS];
  // The client's own list is sent, because the blocks in the messages that change it are sent too; a list with those changes
  // applied would contradict them.
  if (Array.isArray(declared)) return withChoice(declared.filter(isJsonObject), request);
  const allowed = toolChoice?.kind === 'allowed' ? toolChoice.names : undefined;
  const keepsStrict = target.capabilities.has('json_schema') && !target.quirks.rejectsStrictTools;
  const tools: JsonObject[] = [];
  for (const [index, tool] of request.tools.entries()) {
    if (tool.kind === 'custom') throw invalidRequest(`tools.${index}`, reasons.notCarried(`tools.${index}`));
    if (!allowed || allowed.includes(tool.name)) tools.push(encodeTool(tool, keepsStrict));
  }
  if (!keepsStrict && request.tools.some(({ strict }) => strict)) {
    warnings.push('strict dropped: the model does not enforce tool schemas');
  }
  putBackHosted(request, tools);
  return tools.length === 0 ? {} : withChoice(tools, request);
}

function withChoice(tools: JsonObject[], { toolChoice, parallelToolCalls }: ChatRequest): JsonObject {
  const choice = encodeToolChoice(toolChoice, parallelToolCalls);
  return { tools, ...(choice && { tool_choice: choice }) };
}

export function isForced(choice: ToolChoice | undefined): boolean {
  if (choice?.kind === 'allowed') return choice.mode === 'required';
  return choice?.kind === 'required' || choice?.kind === 'tool';
}

function encodeTool(tool: Tool, keepsStrict: boolean): JsonObject {
  const block = keptBlock(tool);
  if (block) return block;
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    // The provider insists on an object schema, also for a tool without arguments.
    input_schema: { properties: {}, ...tool.parameters, type: 'object' },
    ...(keepsStrict && tool.strict !== undefined && { strict: tool.strict }),
    ...encodeCacheControl(tool),
    ...kept(tool),
  };
}

function putBackHosted(request: ChatRequest, tools: JsonObject[]): void {
  const hosted = kept(request)?.[HOSTED_TOOLS];
  for (const entry of Array.isArray(hosted) ? hosted : []) {
    if (!isJsonObject(entry) || !isJsonObject(entry['tool'])) continue;
    tools.splice(typeof entry['index'] === 'number' ? entry['index'] : tools.length, 0, entry['tool']);
  }
}

function encodeToolChoice(choice: ToolChoice | undefined, parallel: boolean | undefined): JsonObject | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : {};
  switch (choice?.kind) {
    case undefined:
      return parallel === false ? { type: 'auto', ...single } : undefined;
    case 'auto':
      return { type: 'auto', ...single };
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', ...single };
    case 'tool':
      return { type: 'tool', name: choice.name, ...single };
    case 'allowed':
      return { type: choice.mode === 'required' ? 'any' : 'auto', ...single };
  }
}
